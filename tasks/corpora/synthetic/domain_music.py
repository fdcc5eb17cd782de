"""The synthetic corpus's domain "music": its facts and its small talk."""

from tasks.corpora.synthetic.kinds import AssistantFact, Domain, EventSeries, Preference, UserFact, words

MUSIC = Domain(
    name="music",
    user=(
        UserFact(
            name="music.teacher",
            topic="the person who teaches me {instrument}",
            values=words("Mr Abernathy|Madame Roux|Signora Bellini|Professor Lund|Miss Takahashi|old Ferenc|Mrs Quill"),
            said=(
                "{value} [teaches|gives] me {instrument} [lessons|every week], {friend} [is jealous|gave me the "
                "number].",
                "I [found|have] a teacher for the {instrument}: {value}, [thanks to {friend}|{friend}'s old one].",
            ),
            changed=(
                "my {instrument} lessons are with {value} now, {friend} and I [both changed|needed someone stricter].",
                "the old teacher moved away; {value} [took me on|continues] for {instrument}, {friend} arranged it.",
            ),
            near=("Who teaches me {instrument}, through {friend}?",),
            far=(
                "From whom do I learn {instrument_alias}?",
                "Whom do I have to cancel on if I cannot practise {instrument_alias}?",
            ),
        ),
        UserFact(
            name="music.piece",
            topic="the piece that I am practising on the {instrument}",
            values=words(
                "Clair de Lune|The Swan|Take Five|Wagon Wheel|Gymnopedie No. 1|Libertango|Danny Boy|Autumn Leaves"
            ),
            said=(
                "I am [practising|working on] {value} for {instrument}, {sibling} [covers both ears|wants it at the "
                "party].",
                "{sibling} asked me to learn {value} on the {instrument}, [bar by bar|slowly].",
            ),
            changed=(
                "I gave up on the last piece, {sibling} and I chose {value} for the {instrument} [instead|now].",
                "[new plan|fresh start] on the {instrument}: {value}, since {sibling} [hated the other|prefers it].",
            ),
            near=("Which piece am I practising on the {instrument} for {sibling}?",),
            far=("What tune am I trying to master on {instrument_alias}?", "What will {sibling} hear me perform?"),
        ),
        UserFact(
            name="music.band",
            topic="the name of the band with {colleague}",
            values=words(
                "The Paper Trays|Midweek Crisis|Loud Radiators|Tax Haven|Second Breakfast|The Reply Alls|Velvet "
                "Staplers"
            ),
            said=(
                "{colleague} and I [started|have] a band, it is called {value}, [first gig in {month}|all covers].",
                "our band with {colleague} is {value}, [silly name|we rehearse in a garage].",
            ),
            changed=(
                "{colleague} renamed the band, we are {value} [from now on|since yesterday].",
                "the band needed a new name for legal reasons, so {colleague} and I went for {value}.",
            ),
            near=("What is the name of my band with {colleague}?",),
            far=(
                "Under what title do {colleague} and I go on stage?",
                "What should the poster say for {colleague}'s and my gig?",
            ),
        ),
    ),
    assistant=(
        AssistantFact(
            name="music.album",
            values=words(
                "Kind of Blue|Pink Moon|Rumours|Blue Train|Hejira|Graceland|Getz/Gilberto|Astral Weeks|Moon Safari"
            ),
            prompt=("{friend} and I [drive to {city}|cook] on {day}, which album should we [put on|listen to]?",),
            told=(
                "For [a drive|an evening] with {friend}, [put on|I would pick] {value}, [start to finish|loud enough].",
            ),
            near=("Which album did you tell {friend} and me to listen to?",),
            far=(
                "What record was your soundtrack idea for {friend} and me?",
                "I forgot your listening tip for the trip to {city_alias}.",
            ),
        ),
    ),
    preferences=(
        Preference(
            name="music.venue",
            values=words(
                "seated concerts|tiny clubs with bad chairs|open-air shows|matinees instead of late nights|acoustic "
                "sets"
            ),
            said=(
                "{partner} and I [only go to|much prefer] {value}, [our ears ring otherwise|age, I suppose].",
                "[give me|I am happiest with] {value}, {partner} too.",
            ),
            near=("Which sort of concert do {partner} and I prefer to go to?",),
            far=(
                "{partner} wants live entertainment for our anniversary. What do you propose?",
                "What is on in {home} that {partner} and I would enjoy?",
            ),
        ),
    ),
    events=(
        EventSeries(
            name="music.gig",
            values=words(
                "the Lanterns gig=the indie band|the Bach vigil=the night of fugues|the brass festival=all those "
                "trumpets|the opera gala=the arias"
                "|the jazz brunch=eggs and swing|the punk reunion=the old rockers|the choir contest=the singing "
                "competition"
            ),
            said=(
                "{friend} and I [went to|are home from] {value} tonight, [goosebumps|far too loud].",
                "{value} this evening with {friend}, [front row|worth the queue]!",
            ),
            near=("How many concerts have {friend} and I been to?",),
            far=("Altogether, how often did {friend} and I hear live performers?",),
            first=("Which did {friend} and I go to first, {a} or {b}?", "Did I hear {a} before {b}?"),
            days=("How many days lay between {a} and {b}?",),
        ),
    ),
    asks=(
        "[How do I|What helps to] [keep time|read bass clef|memorise chords|tune by ear], [I am hopeless|as an adult]?",
        "[How long|How many minutes] should I practise {instrument} [each day|without annoying anyone]?",
        "[Can you explain|What is] [the circle of fifths|syncopation|a modal scale|counterpoint] [simply|like I am "
        "ten]?",
        "[Recommend|Suggest] [some songs|a playlist] for [focus|a dinner|running|a rainy day], [nothing too known|no "
        "lyrics]?",
    ),
    follows=(
        "[And fingering|What about posture], [does it matter|any rule]?",
        "[My hands are small|I have no metronome|The walls are thin], [so what then|is that a problem]?",
        "Would [an app|a teacher|a book] be [better|faster]?",
        "[Is it cheating|Okay] to [use tabs|slow it down|skip the hard bar]?",
    ),
    tips=(
        "[Slow practice|Half speed] [with a metronome|in short loops] [fixes most slips|beats repetition].",
        "[Sing|Clap] the [line|rhythm] [first|away from the instrument], the hands [follow|learn later].",
        "[Ten focused minutes|Two short sessions] [beat|are better than] an [hour|evening] of noodling.",
        "[Record|Film] [yourself|one take] [weekly|on Sundays], progress [hides|is easier to hear].",
        "[Change strings|Oil the keys|Check the reed] [twice a year|when tone dulls], [small thing, big change|it is "
        "cheap].",
        "[Learn|Know] the [ending|hardest bar] first, then [work backwards|the rest feels easy].",
    ),
    chronic=(
        "Who teaches you {instrument} matters, since you learn from a person: cancel early if you cannot practise.",
        "Which piece to practise on {instrument} is up to you, and a tune that others like to hear is easier to "
        "master.",
        "The name of a band is the title on the poster, and most groups that go on stage change it more than once.",
        "Which album or record to listen to on a trip is a matter of mood, so any soundtrack idea is just a tip.",
        "Concerts add up quickly, and fans often ask how many shows they have been to and which performers they heard "
        "first.",
        "For an anniversary, live entertainment works if you know which sort of concert you both prefer to go to.",
        "A practice diary holds the teacher, the piece, the band and the gigs, so that you need not recall them later.",
    ),
)
