"""The synthetic corpus's domain "reading": its facts and its small talk."""

from tasks.corpora.synthetic.kinds import AssistantFact, Domain, EventSeries, Preference, UserFact, words

READING = Domain(
    name="reading",
    user=(
        UserFact(
            name="reading.book",
            topic="the {genre} book that our book club with {colleague} reads",
            values=words(
                "The Salt Ledger|A Winter of Kites|Nine Silent Harbours|The Cartographer's Debt|Glass Orchard|Owls at "
                "Noon"
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
                "Tove Jansson|Octavia Butler|Italo Calvino|Shirley Jackson|Penelope Fitzgerald|Stanislaw Lem|Natalia "
                "Ginzburg"
            ),
            prompt=("{friend} [loves|devours] {genre}, [whom should they read|which author comes] next?",),
            told=(
                "Someone who loves {genre} [should meet|might enjoy] {value}, [the short works first|any edition will "
                "do].",
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
                "audiobooks on long walks|short chapters|paper, never screens|stories without violence|translated "
                "fiction"
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
                "the poetry slam=verses on stage|the author breakfast=coffee with a writer|the library lecture=the "
                "talk among shelves|the translation evening=two languages"
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
        "[How can I|Tips to] [read more|remember what I read|finish long novels|start a journal], [my phone wins|with "
        "little time]?",
        "[Explain|What is] [an unreliable narrator|free verse|a frame story|stream of consciousness], [with an "
        "example|briefly]?",
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
        "Which book a club reads next is best settled by a vote, so that everyone can finish the novel before you "
        "meet.",
        "A good bookshop for {genre} is a store where you hunt for hours, and where a voucher is always right.",
        "How many pages you read before bed is no quota: a story each evening, and how far you get, is enough for "
        "children.",
        "Which author or writer a friend who loves {genre} should read is a matter of passion, and any novelist may "
        "be a tip.",
        "Literary events fill an audience because people love talk, and many go to several in all before the first is "
        "forgotten.",
        "For a holiday or a slump, the form of reading you enjoy says what to take, and family knows.",
        "A reading log keeps the book, the shop, the author and the pages, so that nobody asks which one it was.",
    ),
)
