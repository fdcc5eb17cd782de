"""Domains of the synthetic corpus: music, crafts, reading."""

from tasks.corpora.synthetic_kinds import AssistantFact, Domain, EventSeries, Preference, UserFact, words

MUSIC = Domain(
    name="music",
    user=(
        UserFact(
            name="music.teacher",
            topic="the person who teaches me {instrument}",
            values=words("Mr Abernathy|Madame Roux|Signora Bellini|Professor Lund|Miss Takahashi|old Ferenc|Mrs Quill"),
            said=(
                "{value} [teaches|gives] me {instrument} [lessons|every week], {friend} [is jealous|gave me the number].",
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
                "I am [practising|working on] {value} for {instrument}, {sibling} [covers both ears|wants it at the party].",
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
                "The Paper Trays|Midweek Crisis|Loud Radiators|Tax Haven|Second Breakfast|The Reply Alls|Velvet Staplers"
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
                "seated concerts|tiny clubs with bad chairs|open-air shows|matinees instead of late nights|acoustic sets"
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
                "the Lanterns gig=the indie band|the Bach vigil=the night of fugues|the brass festival=all those trumpets|the opera gala=the arias"
                "|the jazz brunch=eggs and swing|the punk reunion=the old rockers|the choir contest=the singing competition"
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
        "[Can you explain|What is] [the circle of fifths|syncopation|a modal scale|counterpoint] [simply|like I am ten]?",
        "[Recommend|Suggest] [some songs|a playlist] for [focus|a dinner|running|a rainy day], [nothing too known|no lyrics]?",
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
        "[Change strings|Oil the keys|Check the reed] [twice a year|when tone dulls], [small thing, big change|it is cheap].",
        "[Learn|Know] the [ending|hardest bar] first, then [work backwards|the rest feels easy].",
    ),
    chronic=(
        "Who teaches you {instrument} matters, since you learn from a person: cancel early if you cannot practise.",
        "Which piece to practise on {instrument} is up to you, and a tune that others like to hear is easier to master.",
        "The name of a band is the title on the poster, and most groups that go on stage change it more than once.",
        "Which album or record to listen to on a trip is a matter of mood, so any soundtrack idea is just a tip.",
        "Concerts add up quickly, and fans often ask how many shows they have been to and which performers they heard first.",
        "For an anniversary, live entertainment works if you know which sort of concert you both prefer to go to.",
        "A practice diary holds the teacher, the piece, the band and the gigs, so that you need not recall them later.",
    ),
)

CRAFTS = Domain(
    name="crafts",
    user=(
        UserFact(
            name="crafts.studio",
            topic="the studio where I do {craft}",
            values=words(
                "Clay & Co|Thimble Street|The Old Brewery|Kiln Corner|Workshop Eleven|Marsh Lane Makers|The Loft"
            ),
            said=(
                "I [do|rent a bench for] {craft} at {value}, {colleague} [has the next table|comes on {day}s].",
                "{colleague} [brought|took] me to {value}, where I [do|learn] {craft}.",
            ),
            changed=(
                "the old studio flooded, so {colleague} and I do {craft} at {value} now.",
                "{craft} has moved: {value} from this month, {colleague} [carried the tools|likes the light].",
            ),
            near=("At which studio do I do {craft} with {colleague}?",),
            far=(
                "Where do {colleague} and I spend our evenings {craft_alias}?",
                "{colleague} is picking me up after {craft_alias}. Which address?",
            ),
        ),
        UserFact(
            name="crafts.gift",
            topic="the thing that I am making for {sibling}",
            values=words(
                "a lidded jar|a wall hanging|a chessboard|a guest book|a lampshade|a baby blanket|a mirror frame|a tea tray"
            ),
            said=(
                "I am [making|working on] {value} for {sibling}, [all by hand|my first attempt], [{craft} of course|in secret].",
                "{sibling} will get {value} [from me|in {month}], pure {craft}.",
            ),
            changed=(
                "the first attempt broke, so {sibling} gets {value} instead, [also {craft}|less risky].",
                "[I changed my mind|new idea]: it will be {value} that I make for {sibling}.",
            ),
            near=("What am I making for {sibling} by {craft}?",),
            far=(
                "What handmade present is my {kin} going to unwrap?",
                "Which object will {sibling} receive out of {craft_alias}?",
            ),
        ),
        UserFact(
            name="crafts.supplier",
            topic="the shop where I buy {craft} supplies",
            values=words(
                "Raven & Reed|Bobbin House|The Pigment Room|Ashdown Timber|Paperwright|Mercer's Yard|Loom and Lantern"
            ),
            said=(
                "I [buy|order] my {craft} supplies from {value}, {friend} gets [a discount there|the same].",
                "{friend} [tipped me off about|pointed me to] {value} for {craft} supplies.",
            ),
            changed=(
                "{friend}'s shop raised prices, I [order from|buy at] {value} for {craft} now.",
                "for {craft} supplies {friend} and I [use|moved to] {value} [these days|since the other closed].",
            ),
            near=("Where do I buy {craft} supplies, on {friend}'s tip?",),
            far=(
                "I ran out of material for {craft_alias}. Where do I restock?",
                "Which store did {friend} and I settle on for {craft_alias}?",
            ),
        ),
    ),
    assistant=(
        AssistantFact(
            name="crafts.finish",
            values=words(
                "tung oil|a satin varnish|beeswax|shellac|a celadon glaze|wheat paste|gum arabic|a hem of bias tape"
            ),
            prompt=("my {craft} piece for {friend} looks dull, [what finish|how do I finish it]?",),
            told=(
                "To finish a {craft} piece I would use {value}, [thinly|in two passes], and let it [rest|cure] overnight.",
            ),
            near=("What finish did you advise for my {craft} piece for {friend}?",),
            far=(
                "How did you want me to complete the surface on {friend}'s gift?",
                "What was your remedy for a dull result from {craft_alias}?",
            ),
        ),
    ),
    preferences=(
        Preference(
            name="crafts.material",
            values=words(
                "natural dyes|reclaimed materials|muted earthy colours|tools without electricity|very small projects"
            ),
            said=(
                "I [only use|stick to] {value}, {friend} [finds it limiting|does the same].",
                "[my rule is|I am fond of] {value}, {friend} knows [it well|me].",
            ),
            near=("Which material or method do I stick to, as {friend} knows?",),
            far=(
                "Give me an idea for a rainy weekend of making things with {friend}.",
                "What should {friend} and I try next at the workbench?",
            ),
        ),
    ),
    events=(
        EventSeries(
            name="crafts.fair",
            values=words(
                "the Maker Market=the stall outdoors|the winter fair=mulled wine and stands|the open studio=visitors watching us|the swap meet=trading scraps"
                "|the museum workshop=the lesson among exhibits|the guild exhibition=the show with prizes"
            ),
            said=(
                "{colleague} and I had a table at {value} today, [sold three things|hardly any buyers].",
                "[home from|spent all day at] {value} with {colleague}, [my voice is gone|lovely people].",
            ),
            near=("How many fairs did {colleague} and I have a table at?",),
            far=("How many times in total did {colleague} and I show our handiwork in public?",),
            first=("Which was earlier, {a} or {b}?", "Did {colleague} and I attend {a} or {b} first?"),
            days=("How many days passed between {a} and {b}?",),
        ),
    ),
    asks=(
        "[How do I|What is the trick to] [centre clay|sharpen a gouge|block a shawl|cut glass|fold a signature] [cleanly|safely]?",
        "I [want|would love] to [try|get into] {craft}, [what is a cheap start|which first project]?",
        "My [edges fray|lines wobble|glue bubbles|seams pucker], [why|what am I missing]?",
        "[Can you plan|Help me design] [a small gift|a sampler|a set of cards] [for {month}|before the holidays]?",
    ),
    follows=(
        "[Which tool|What size] [exactly|would you get first]?",
        "[My table is tiny|There is no ventilation|I am left-handed], [any workaround|does it matter]?",
        "[How long|Overnight or longer] [should it dry|does it rest]?",
        "Could [kids|{kid}] [join in|do that part]?",
    ),
    tips=(
        "[Make|Cut] a [paper|card] template [first|before the good material], [mistakes are free|it saves tears].",
        "[Sharp|Clean] tools are [safer|kinder], [five minutes|a strop] before each session.",
        "[Work|Practise] on [offcuts|scraps] until [the motion is easy|your hand knows].",
        "[Let it dry|Wait] [longer than you want|a full day], [hurry shows|cracks come from haste].",
        "[Label|Photograph] every [test|step], [you will forget|it becomes a guide].",
        "[Support|Clamp] the piece [on both sides|evenly], [pressure marks stay|then cut slowly].",
    ),
    chronic=(
        "Where you do {craft} depends on light and rent: a studio with an address close to work suits most evenings.",
        "Making something by {craft} for family takes time, and any handmade present is an object people love to unwrap.",
        "Which shop to buy {craft} supplies from is a question of price, so compare each store before you restock material.",
        "What finish to use on a {craft} piece depends on the surface, and a dull result has no single remedy.",
        "Fairs and markets are a way to show handiwork in public, and how many you attend in total is up to you.",
        "For a rainy weekend of making things, stick to a material or method that you and your friend know.",
        "A workshop notebook should say which studio, shop, finish and fair it was, since makers forget where and when.",
    ),
)

READING = Domain(
    name="reading",
    user=(
        UserFact(
            name="reading.book",
            topic="the {genre} book that our book club with {colleague} reads",
            values=words(
                "The Salt Ledger|A Winter of Kites|Nine Silent Harbours|The Cartographer's Debt|Glass Orchard|Owls at Noon"
            ),
            said=(
                "our book club with {colleague} is reading {value}, [pure {genre}|{genre} again].",
                "{colleague} [chose|voted for] {value} at book club, since it was {genre}'s turn.",
            ),
            changed=(
                "nobody finished the last one, so book club with {colleague} [switched to|reads] {value}.",
                "{colleague} swapped the book club title, it is {value} now, [still {genre}|more {genre}].",
            ),
            near=("Which book is the club with {colleague} reading?",),
            far=(
                "What novel do I have to finish before I meet {colleague} and the others?",
                "Which volume of {genre_alias} is next for our circle?",
            ),
        ),
        UserFact(
            name="reading.shop",
            topic="the bookshop that {friend} and I go to",
            values=words(
                "Page & Anchor|The Crooked Shelf|Marginalia|Foxed Corner|Inkwell|Second Chapter|Lamplight Books"
            ),
            said=(
                "{friend} and I [spend|lose] whole afternoons in {value}, [mostly in {genre}|the owner knows us].",
                "{value} is [the bookshop|our place] for {genre}, {friend} [never leaves empty-handed|agrees].",
            ),
            changed=(
                "our old bookshop closed; {friend} and I go to {value} [now|instead].",
                "{friend} found [a better one|a new haunt]: we buy {genre} at {value} these days.",
            ),
            near=("Which bookshop do {friend} and I go to?",),
            far=(
                "Where do {friend} and I hunt for {genre_alias}?",
                "I want to get {friend} a voucher from the right store. Which one?",
            ),
        ),
        UserFact(
            name="reading.page",
            topic="the page limit I set myself with {kid}",
            values=words("ten pages|fifteen pages|twenty pages|twenty-five pages|thirty pages|forty pages"),
            said=(
                "{kid} and I [read|manage] {value} before bed, [no excuses|then lights out].",
                "bedtime with {kid} means {value} [of {genre}, toned down|every night].",
            ),
            changed=(
                "{kid} got faster, we [read|are at] {value} before bed now.",
                "bedtime reading with {kid} has [grown|changed] to {value}, [a proud parent writes|no kidding].",
            ),
            near=("How many pages do {kid} and I read before bed?",),
            far=("What is the nightly quota for {kid} and me?", "How far do {kid} and I get in a story each evening?"),
        ),
    ),
    assistant=(
        AssistantFact(
            name="reading.author",
            values=words(
                "Tove Jansson|Octavia Butler|Italo Calvino|Shirley Jackson|Penelope Fitzgerald|Stanislaw Lem|Natalia Ginzburg"
            ),
            prompt=("{friend} [loves|devours] {genre}, [whom should they read|which author comes] next?",),
            told=(
                "Someone who loves {genre} [should meet|might enjoy] {value}, [the short works first|any edition will do].",
            ),
            near=("Which author did you name for {friend}, who loves {genre}?",),
            far=(
                "Which writer was your tip, given {friend}'s passion for {genre_alias}?",
                "Who was the novelist I was to buy for {friend}?",
            ),
        ),
    ),
    preferences=(
        Preference(
            name="reading.form",
            values=words(
                "audiobooks on long walks|short chapters|paper, never screens|stories without violence|translated fiction"
            ),
            said=(
                "I [can only enjoy|have a weakness for] {value}, {sibling} [is the same|teases me].",
                "[for me it is always|my thing is] {value}, [ask {sibling}|{sibling} got me into it].",
            ),
            near=("What form of reading do I enjoy, as {sibling} knows?",),
            far=(
                "I have a long holiday ahead with {sibling}. What should I take to read?",
                "Suggest something to get me and {sibling} out of our slump.",
            ),
        ),
    ),
    events=(
        EventSeries(
            name="reading.talk",
            values=words(
                "the poetry slam=verses on stage|the author breakfast=coffee with a writer|the library lecture=the talk among shelves|the translation evening=two languages"
                "|the book launch=the signing|the ghost story night=spooky tales by candle"
            ),
            said=(
                "{colleague} and I [were at|went to] {value} tonight, [packed|I bought too much].",
                "{value} with {colleague} today, [I even asked a question|charming crowd].",
            ),
            near=("How many literary events did {colleague} and I go to?",),
            far=("How often in all did {colleague} and I sit in an audience because of literature?",),
            first=("Which did I go to first, {a} or {b}?", "Was {a} before or after {b}?"),
            days=("How many days were between {a} and {b}?",),
        ),
    ),
    asks=(
        "[How can I|Tips to] [read more|remember what I read|finish long novels|start a journal], [my phone wins|with little time]?",
        "[Explain|What is] [an unreliable narrator|free verse|a frame story|stream of consciousness], [with an example|briefly]?",
        "I [liked|adored|could not finish] [a big classic|something in {genre}], [what next|was it me]?",
        "[How do I|Can you help me to] [run a book club|write a review|organise my shelves|pick a translation]?",
    ),
    follows=(
        "[Is that|Would it be] [too dark|too long|fine] for [a train|bedtime|{kid}]?",
        "[And non-fiction|What about essays], [anything|similar advice]?",
        "[I fall asleep|My eyes tire|I skip endings], [is there a cure|am I alone]?",
        "Which [edition|translation|order] [is best|would you take]?",
    ),
    tips=(
        "[Keep|Leave] a book [by the kettle|in every bag], [minutes add up|boredom does the rest].",
        "[Quit|Drop] a book after [fifty pages|a fair try], [life is short|guilt is no reason].",
        "[Write|Say] one [sentence|line] about each chapter, it [sticks|keeps characters apart].",
        "[Alternate|Mix] [long and short|old and new], [momentum matters|so that you never stall].",
        "[Agree on|Send round] [three questions|a date] before the group meets, talk [flows|starts at once].",
        "[Libraries|Swaps] are [the cheapest|an easy] way to [take risks|try a writer].",
    ),
    chronic=(
        "Which book a club reads next is best settled by a vote, so that everyone can finish the novel before you meet.",
        "A good bookshop for {genre} is a store where you hunt for hours, and where a voucher is always right.",
        "How many pages you read before bed is no quota: a story each evening, and how far you get, is enough for children.",
        "Which author or writer a friend who loves {genre} should read is a matter of passion, and any novelist may be a tip.",
        "Literary events fill an audience because people love talk, and many go to several in all before the first is forgotten.",
        "For a holiday or a slump, the form of reading you enjoy says what to take, and family knows.",
        "A reading log keeps the book, the shop, the author and the pages, so that nobody asks which one it was.",
    ),
)

DOMAINS = (MUSIC, CRAFTS, READING)
