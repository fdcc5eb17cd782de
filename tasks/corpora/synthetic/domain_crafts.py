"""The synthetic corpus's domain "crafts": its facts and its small talk."""

from tasks.corpora.synthetic.kinds import AssistantFact, Domain, EventSeries, Preference, UserFact, words

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
                "a lidded jar|a wall hanging|a chessboard|a guest book|a lampshade|a baby blanket|a mirror frame|a "
                "tea tray"
            ),
            said=(
                "I am [making|working on] {value} for {sibling}, [all by hand|my first attempt], [{craft} of "
                "course|in secret].",
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
                "To finish a {craft} piece I would use {value}, [thinly|in two passes], and let it [rest|cure] "
                "overnight.",
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
                "the Maker Market=the stall outdoors|the winter fair=mulled wine and stands|the open studio=visitors "
                "watching us|the swap meet=trading scraps"
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
        "[How do I|What is the trick to] [centre clay|sharpen a gouge|block a shawl|cut glass|fold a signature] "
        "[cleanly|safely]?",
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
        "Making something by {craft} for family takes time, and any handmade present is an object people love to "
        "unwrap.",
        "Which shop to buy {craft} supplies from is a question of price, so compare each store before you restock "
        "material.",
        "What finish to use on a {craft} piece depends on the surface, and a dull result has no single remedy.",
        "Fairs and markets are a way to show handiwork in public, and how many you attend in total is up to you.",
        "For a rainy weekend of making things, stick to a material or method that you and your friend know.",
        "A workshop notebook should say which studio, shop, finish and fair it was, since makers forget where and "
        "when.",
    ),
)
