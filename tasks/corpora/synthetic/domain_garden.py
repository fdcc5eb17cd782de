"""The synthetic corpus's domain "garden": its facts and its small talk."""

from tasks.corpora.synthetic.kinds import AssistantFact, Domain, EventSeries, Preference, UserFact, words

GARDEN = Domain(
    name="garden",
    user=(
        UserFact(
            name="garden.plot",
            topic="the number of the allotment that I share with {neighbor}",
            values=words("plot 4|plot 9|plot 17|plot 23|plot 31|plot 46|plot 58|plot 62"),
            said=(
                "{neighbor} and I [were given|rent] {value} on the allotments, [right by the gate|half of it "
                "brambles].",
                "our allotment with {neighbor} is {value}, [full of {plant}|behind the water tank].",
            ),
            changed=(
                "the council reshuffled the allotments, so {neighbor} and I [garden on|moved to] {value} now.",
                "{neighbor} and I swapped our allotment, [as of this week|finally] we have {value}.",
            ),
            near=("What is the number of the allotment that {neighbor} and I share?",),
            far=(
                "Where exactly on the community land do {neighbor} and I grow things?",
                "Which patch should a visitor look for to find {neighbor} and me digging?",
            ),
        ),
        UserFact(
            name="garden.feed",
            topic="the feed that I give the {plant}",
            values=words(
                "seaweed extract|comfrey tea|fish emulsion|worm castings|nettle soup|bone meal|diluted coffee"
            ),
            said=(
                "I [feed|treat] the {plant} with {value} every fortnight, {neighbor} [laughs at|copies] me.",
                "the {plant} get {value} [from me|these days], a habit I took over from {neighbor}.",
            ),
            changed=(
                "{neighbor} was right about the {plant}: I [dropped the old feed|switched] and they get {value} now.",
                "since the leaves went yellow the {plant} are on {value}, [on {neighbor}'s advice|says {neighbor}].",
            ),
            near=("What do I feed the {plant} that {neighbor} talks about?",),
            far=(
                "Which nutrients do {plant_alias} receive from me?",
                "With what do I fertilise {plant_alias}, the ones {neighbor} knows?",
            ),
        ),
        UserFact(
            name="garden.spot",
            topic="the place where the {plant} grow",
            values=words(
                "against the south wall|next to the compost|in the old bathtub|by the pond|in raised bed two|on the "
                "roof"
            ),
            said=(
                "I [planted|put] the {plant} {value}, {sibling} [dug the holes|helped me].",
                "this year the {plant} from {sibling} [live|are] {value}, [plenty of sun there|we shall see].",
            ),
            changed=(
                "I had to [move|transplant] {sibling}'s {plant}, they are {value} now.",
                "slugs everywhere, so the {plant} from {sibling} [ended up|now grow] {value}.",
            ),
            near=("Where did I plant the {plant} with {sibling}?",),
            far=(
                "In what spot would I find {plant_alias}, the ones my {kin} had a hand in?",
                "{sibling} wants to see {plant_alias}. Where do I point?",
            ),
        ),
    ),
    assistant=(
        AssistantFact(
            name="garden.companion",
            values=words("marigolds|borage|nasturtiums|tansy|chives|alyssum|phacelia|dill"),
            prompt=(
                "[greenfly is all over|something eats] my {plant}, what could I grow beside them? {neighbor} sprays, "
                "I will not.",
            ),
            told=(
                "Next to {plant} I would sow {value}, which [draws the pests away|brings in hoverflies] [within "
                "weeks|by summer].",
            ),
            near=("Which companion plant did you suggest to grow beside my {plant}?",),
            far=(
                "What was your pesticide-free idea to protect {plant_alias}?",
                "Remind me what to sow to keep bugs off {plant_alias}.",
            ),
        ),
    ),
    preferences=(
        Preference(
            name="garden.style",
            values=words(
                "native wildflowers only|white and green planting|edible plants rather than flowers|a garden without "
                "any lawn"
            ),
            said=(
                "{partner} and I [want|believe in] {value}, [everything else feels wrong|no compromise there].",
                "[my heart is set on|what I love is] {value}, and {partner} [agrees|has come round to it].",
            ),
            near=("What should I plant for {partner} and me, considering the garden style we want?",),
            far=(
                "Help me fill the empty border behind the house that {partner} looks at.",
                "Any ideas for what {partner} and I buy at the nursery?",
            ),
        ),
    ),
    events=(
        EventSeries(
            name="garden.harvest",
            values=words(
                "the plum picking=bringing in the purple fruit|the potato dig=lifting the tubers|the elderflower "
                "day=making cordial"
                "|the honey extraction=emptying the hives|the apple pressing=making cider|the seed swap=trading packets"
            ),
            said=(
                "{neighbor} and I [did|finished] {value} today, [my back is broken|buckets everywhere].",
                "[what a day|we are exhausted]: {value} with {neighbor}, from eight until [dusk|four].",
            ),
            near=("How many harvest days did {neighbor} and I have this season?",),
            far=("All told, how often did {neighbor} lend a hand with what the garden yields?",),
            first=("Which did I do earlier, {a} or {b}?", "What came first with {neighbor}: {a} or {b}?"),
            days=("How many days lay between {a} and {b}?",),
        ),
    ),
    asks=(
        "[When should I|Is it too late to] [sow carrots|prune the hedge|divide the rhubarb|cut back the herbs]?",
        "[My lawn is|The border is] [full of moss|bone dry|a jungle], [what now|what would you do]?",
        "I [want|would like] [more shade|a wildlife corner|less weeding] [in our yard|out there], [ideas|how]?",
        "[Slugs|Snails|Pigeons|Aphids] are [winning|everywhere], [please help|what really works]?",
        "[Can you explain|What is] [crop rotation|no-dig gardening|green manure|hot composting]?",
    ),
    follows=(
        "[How deep|How far apart] should [they|the seeds] go?",
        "Would [straw|bark|cardboard] [work as mulch|be better]?",
        "[The soil here|My ground] is [heavy clay|pure sand|rather acid], is that [a problem|fine]?",
        "And [in winter|when frost comes|during a drought], [what then|any changes]?",
    ),
    tips=(
        "Water [deeply once|early in the morning], [not a little every day|so leaves dry off].",
        "A [thick|five centimetre] layer of [mulch|leaf mould] keeps [moisture in|weeds down].",
        "[Pinch out|Remove] [side shoots|spent blooms] [weekly|as you pass], the plant [puts energy elsewhere|thanks "
        "you].",
        "Test [the soil|its pH] before you [add lime|buy anything], kits are [cheap|easy].",
        "[Copper tape|Beer traps|Hedgehogs] [help a bit|are no miracle] against slugs, evening patrols [help "
        "more|work].",
        "Sow [little and often|in short rows], so [not everything ripens at once|you eat for months].",
    ),
    chronic=(
        "Where you plant {plant} depends on the sun, so look for a spot against a wall or a raised bed and watch it.",
        "What you feed {plant} matters less than when: any nutrients or fertiliser work if you give them every "
        "fortnight.",
        "Every allotment has a number, and sharing a plot on community land with a neighbour means agreeing what to "
        "grow.",
        "A companion plant beside {plant} can protect it from bugs without pesticide, and what you sow is your choice.",
        "Harvest days come thick and fast in a good season, and it helps to count how often you pick, dig or press.",
        "For an empty border, think about the garden style you want before you buy plants at the nursery.",
        "Many gardeners forget where they planted what, which patch they had, or which feed they used: label "
        "everything.",
    ),
)
