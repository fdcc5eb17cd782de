"""Domains of the synthetic corpus: cooking, garden, home."""

from tasks.corpora.synthetic_kinds import AssistantFact, Domain, EventSeries, Preference, UserFact, words

COOKING = Domain(
    name="cooking",
    user=(
        UserFact(
            name="cooking.starter",
            topic="the name of my sourdough starter",
            values=words(
                "Clint Yeastwood|Doughlene|Bread Pitt|Vincent van Dough|Lady Crumb|Gluten Tag|Old Bubbly|Rye-an"
            ),
            said=(
                "I [finally named|christened] my sourdough starter {value} after {friend} [lost a bet|begged me to].",
                "the sourdough starter from {friend} [goes by|answers to] {value} [now|in our house].",
            ),
            changed=(
                "{friend} [talked me into|made me agree to] a new name for the sourdough starter: it is {value} now.",
                "after the mould incident {friend} and I rebaptised my sourdough starter, so say hello to {value}.",
            ),
            near=("What is the name of my sourdough starter, the one {friend} was involved in?",),
            far=(
                "What do I call [the jar of wild yeast|the living dough culture] that {friend} has opinions about?",
                "Which silly title did my fermenting flour pet get because of {friend}?",
            ),
        ),
        UserFact(
            name="cooking.dinner",
            topic="the weekday on which I host supper club with {friend}",
            values=words("Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"),
            said=(
                "{friend} and I [run|host] a supper club every {value}, [usually|mostly] with {dish}.",
                "our supper club is on {value} evenings, and {friend} [makes|brings] the {dish}.",
            ),
            changed=(
                "{friend} could not keep the old slot, so supper club [has moved|moves] to {value} evenings from now on.",
                "we [shifted|pushed] the supper club with {friend} to {value}, [it suits everyone better|finally].",
            ),
            near=("On which weekday do {friend} and I host supper club?",),
            far=(
                "When in the week do I feed a crowd together with {friend}?",
                "[If I want to invite someone|Suppose a guest wants to come] to the meal {friend} and I put on, which day is it?",
            ),
        ),
        UserFact(
            name="cooking.oven",
            topic="the temperature at which I bake the {dish}",
            values=words("165 degrees|175 degrees|190 degrees|205 degrees|220 degrees|240 degrees"),
            said=(
                "I [bake|finish] my {dish} at {value}, [as|just like] my {kin} {sibling} taught me.",
                "{sibling}'s trick for {dish} is an oven at {value}, and [it never fails|I stick to it].",
            ),
            changed=(
                "the {dish} kept burning, so {sibling} and I turned the oven to {value} and [that is my setting now|it is perfect].",
                "forget what I said about the {dish}: {sibling} [proved|showed] that {value} works [far better|best].",
            ),
            near=("At what temperature do I bake {dish} the way {sibling} does?",),
            far=(
                "How hot should I set things for the recipe that I got from {sibling}?",
                "Which heat do I use for {sibling}'s {dish}?",
            ),
        ),
    ),
    assistant=(
        AssistantFact(
            name="cooking.spice",
            values=words("sumac|fenugreek|black lime|mace|urfa pepper|asafoetida|grains of paradise|mahleb|ajwain"),
            prompt=(
                "my {dish} tastes flat, [what would you add|which spice is missing]? {friend} is [coming over|very picky].",
                "{friend} says my {dish} lacks depth - [any secret ingredient|can you recommend one spice]?",
            ),
            told=(
                "For a flat {dish} I would [reach for|add] a pinch of {value}, stirred in [at the end|off the heat].",
                "[Try|Consider] {value}: half a teaspoon lifts {dish} without [taking over|hiding the rest].",
            ),
            near=("Which spice did you recommend for my {dish} when {friend} was coming?",),
            far=(
                "What was the secret ingredient you proposed to rescue my bland {dish}?",
                "You once told me how to give {dish} more character. With what, again?",
            ),
        ),
        AssistantFact(
            name="cooking.wine",
            values=words("an Albarino|a dry Riesling|a Gamay|a Savennieres|an orange wine|a Nero d'Avola|a Pinot Gris"),
            prompt=("[what should we drink|which wine goes] with {dish} when {sibling} visits?",),
            told=("With {dish} I would [open|pour] {value}, [lightly chilled|in a large glass], and nothing heavier.",),
            near=("Which wine did you suggest with the {dish} for {sibling}'s visit?",),
            far=("What bottle was your pairing for {dish}, back when {sibling} came to eat?",),
        ),
    ),
    preferences=(
        Preference(
            name="cooking.taste",
            values=words(
                "coriander leaf|blue cheese|raw onion|anything with anchovies|smoky flavours|very sweet sauces"
            ),
            said=(
                "I [cannot stand|really dislike] {value}, [even a trace of it ruins a plate|{partner} teases me for it].",
                "{partner} and I [both avoid|never buy] {value}, [it is just not for us|sorry to the fans].",
            ),
            near=("Can you suggest a recipe for {partner} and me, given the flavours we dislike?",),
            far=(
                "What should I cook for our anniversary, just {partner} and me?",
                "Please plan a three-course menu for {partner} and me.",
            ),
        ),
    ),
    events=(
        EventSeries(
            name="cooking.class",
            values=words(
                "the knife skills class=the lesson about cutting|the ramen workshop=the noodle soup course"
                "|the cheese making day=the day with curds and rennet|the croissant course=the laminated dough lesson"
                "|the dim sum evening=the dumpling night|the tempering workshop=the chocolate lesson"
            ),
            said=(
                "I [just got back from|spent today at|finished] {value} with {colleague}, and [my feet hurt|it was great fun].",
                "{colleague} and I did {value} this [morning|afternoon], [worth every penny|I learned a lot].",
            ),
            near=("How many cooking classes did I take with {colleague} in total?",),
            far=("Counting everything, how often did {colleague} and I go and learn something about food?",),
            first=("Which came first, {a} or {b}?", "Did {colleague} and I do {a} before or after {b}?"),
            days=("How many days passed between {a} and {b}, both with {colleague}?",),
        ),
    ),
    asks=(
        "[Can you help me|I want] to [plan|simplify|rethink] [our weeknight dinners|my batch cooking|a vegetarian week]?",
        "[How do I|What is the best way to] [keep bread from going stale|use up leftover rice|get crispy skin on fish]?",
        "I am [thinking of|planning on] making {dish} [for the first time|again], [any tips|where do I start]?",
        "[My knives are blunt|My pans stick|My dough never rises], [what am I doing wrong|please help]?",
        "[What can I cook|Ideas for a dinner] with [chickpeas and spinach|half a cabbage|a tin of tomatoes and eggs]?",
    ),
    follows=(
        "[And how long|For how long] does {dish} keep [in the fridge|in the freezer]?",
        "[Could I swap|Is it fine to replace] butter [for|with] olive oil [there|in that]?",
        "[What side dish|Which salad] [goes with it|would you serve]?",
        "I [only have|own] [a small oven|one decent pan|no mixer], does that [matter|change anything]?",
    ),
    tips=(
        "Salt [the water|the meat|the dough] [earlier than you think|in two rounds], it [spreads|works] more evenly.",
        "Let [the pan|the oven|the stone] get properly hot [before anything touches it|first].",
        "A [splash of vinegar|squeeze of lemon] at the end [wakes up|brightens] [almost any stew|{dish}].",
        "[Weigh|Measure] flour [by the gram|on a scale], cups are [too vague|unreliable] for baking.",
        "Cook [double the grains|extra beans] and freeze [half|them flat], [future you will be grateful|it saves an evening].",
        "Leftovers keep [three|four] days [in a shallow box|well covered], and {dish} [freezes well|tastes better the day after].",
        "[Toast|Bloom] whole spices [in dry heat|in oil] until [fragrant|they crackle].",
    ),
    chronic=(
        "Naming a sourdough starter is a fun tradition, and the name [matters less|is secondary] than feeding the wild yeast culture.",
        "The right oven temperature for {dish} depends on your recipe, the tin, and how hot your kitchen runs.",
        "Hosting a supper club with a friend works on any weekday, as long as guests know the day and the meal in advance.",
        "Which spice or secret ingredient suits {dish} is a matter of taste, so add character slowly and keep notes.",
        "Cooking classes are a good way to learn about food together, and many people take several courses in a year.",
        "When you plan a menu or suggest a recipe, ask everyone which flavours they dislike before you cook.",
        "A wine pairing is only a suggestion: what bottle you drink with the meal is up to you and your visitors.",
        "If you cannot recall which recipe, name, day or temperature you used, a kitchen notebook is the simplest answer.",
    ),
)

GARDEN = Domain(
    name="garden",
    user=(
        UserFact(
            name="garden.plot",
            topic="the number of the allotment that I share with {neighbor}",
            values=words("plot 4|plot 9|plot 17|plot 23|plot 31|plot 46|plot 58|plot 62"),
            said=(
                "{neighbor} and I [were given|rent] {value} on the allotments, [right by the gate|half of it brambles].",
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
                "against the south wall|next to the compost|in the old bathtub|by the pond|in raised bed two|on the roof"
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
                "[greenfly is all over|something eats] my {plant}, what could I grow beside them? {neighbor} sprays, I will not.",
            ),
            told=(
                "Next to {plant} I would sow {value}, which [draws the pests away|brings in hoverflies] [within weeks|by summer].",
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
                "native wildflowers only|white and green planting|edible plants rather than flowers|a garden without any lawn"
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
                "the plum picking=bringing in the purple fruit|the potato dig=lifting the tubers|the elderflower day=making cordial"
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
        "[Pinch out|Remove] [side shoots|spent blooms] [weekly|as you pass], the plant [puts energy elsewhere|thanks you].",
        "Test [the soil|its pH] before you [add lime|buy anything], kits are [cheap|easy].",
        "[Copper tape|Beer traps|Hedgehogs] [help a bit|are no miracle] against slugs, evening patrols [help more|work].",
        "Sow [little and often|in short rows], so [not everything ripens at once|you eat for months].",
    ),
    chronic=(
        "Where you plant {plant} depends on the sun, so look for a spot against a wall or a raised bed and watch it.",
        "What you feed {plant} matters less than when: any nutrients or fertiliser work if you give them every fortnight.",
        "Every allotment has a number, and sharing a plot on community land with a neighbour means agreeing what to grow.",
        "A companion plant beside {plant} can protect it from bugs without pesticide, and what you sow is your choice.",
        "Harvest days come thick and fast in a good season, and it helps to count how often you pick, dig or press.",
        "For an empty border, think about the garden style you want before you buy plants at the nursery.",
        "Many gardeners forget where they planted what, which patch they had, or which feed they used: label everything.",
    ),
)

HOME = Domain(
    name="home",
    user=(
        UserFact(
            name="home.paint",
            topic="the paint colour in our {room}",
            values=words(
                "Oyster Smoke|Mizzle|Dead Salmon|Railings Blue|Setting Plaster|Calke Green|Pelt|Cromarty|Arsenic"
            ),
            said=(
                "we [painted|did] the {room} in {value}, {partner} [chose it|cried with joy].",
                "{partner} [fell for|picked] {value} for the {room} walls, [two coats so far|and it looks great].",
            ),
            changed=(
                "{partner} got tired of the {room}, so it is {value} [now|as of the weekend].",
                "repainting done: {partner} and I [covered|redid] the {room} with {value}.",
            ),
            near=("What paint colour did {partner} and I use in the {room}?",),
            far=(
                "Which shade is on the walls {room_alias}, the one {partner} wanted?",
                "I need to touch up {room_alias}. What was in {partner}'s tin?",
            ),
        ),
        UserFact(
            name="home.key",
            topic="the place where the spare key for {neighbor} is",
            values=words(
                "under the blue flowerpot|in the bird house|inside the fuse box|behind the loose brick|in the gnome|in the shed drawer"
            ),
            said=(
                "I [hid|left] the spare key {value} so that {neighbor} can [feed {pet}|get in].",
                "{neighbor} knows the spare key is {value}, [in case we are locked out|just in case].",
            ),
            changed=(
                "the old hiding place was silly, so I told {neighbor} that the spare key is {value} now.",
                "[new hiding place|small change]: {neighbor} [finds|will find] our spare key {value}.",
            ),
            near=("Where is the spare key that {neighbor} knows about?",),
            far=(
                "How does {neighbor} get inside when we are out?",
                "I am locked out! What did I arrange with {neighbor}?",
            ),
        ),
        UserFact(
            name="home.builder",
            topic="the firm that redoes our {room}",
            values=words(
                "Hartley & Sons|Brightside Joinery|Copperfield Works|North Quay Builders|Tilewright|Oakridge Interiors"
            ),
            said=(
                "{value} will [redo|renovate] our {room}, {sibling} [recommended them|used them before].",
                "on {sibling}'s tip we [hired|signed with] {value} for the {room}.",
            ),
            changed=(
                "the first firm let us down, so {sibling} helped us [find|book] {value} for the {room}.",
                "[plot twist|change of plan]: {value} [takes over|will finish] the {room}, says {sibling}.",
            ),
            near=("Which firm redoes our {room} on {sibling}'s recommendation?",),
            far=(
                "Who are the tradespeople working on {room_alias}?",
                "Whom did we employ for the building work {sibling} advised on?",
            ),
        ),
    ),
    assistant=(
        AssistantFact(
            name="home.stain",
            values=words(
                "oxalic acid|sodium percarbonate|a paste of baking soda|glycerine|isopropyl alcohol|white spirit|a pumice stone"
            ),
            prompt=("{kid} [spilled something|left a mark] in the {room}, how do I get the stain out?",),
            told=(
                "For that mark in the {room}, [dab|work in] {value}, wait ten minutes, then [rinse|blot] with cold water.",
            ),
            near=("What did you tell me to use on the stain in the {room}?",),
            far=(
                "Which remedy did you have for the mess {kid} made?",
                "{kid} did it again {room_alias}! What was your cleaning trick?",
            ),
        ),
    ),
    preferences=(
        Preference(
            name="home.look",
            values=words(
                "second-hand furniture|dark wood and brass|very sparse rooms|bright patterned fabric|curved shapes, no sharp edges"
            ),
            said=(
                "{partner} and I [only like|are devoted to] {value} [at home|in our place].",
                "[my taste is|it has to be] {value}, [ask {partner}|{partner} gave up arguing].",
            ),
            near=("Which furniture would suit the taste that {partner} and I have?",),
            far=(
                "We need a new sofa, {partner} is impatient. What do you propose?",
                "Please help {partner} and me to decorate the empty corner.",
            ),
        ),
    ),
    events=(
        EventSeries(
            name="home.repair",
            values=words(
                "the boiler breakdown=losing the heating|the burst pipe=the flood|the blown fuse=the power cut"
                "|the jammed garage door=being stuck with the car inside|the roof leak=the drip through the ceiling"
            ),
            said=(
                "{partner} and I [dealt with|survived] {value} today, [what a mess|the plumber was no help].",
                "[you will not believe it|disaster]: {value} this morning, {partner} [kept calm|was at work].",
            ),
            near=("How many repairs at home did {partner} and I deal with?",),
            far=("In total, how many household emergencies hit {partner} and me?",),
            first=("Which happened first, {a} or {b}?", "Was {a} earlier than {b}?"),
            days=("How many days were there between {a} and {b}?",),
        ),
    ),
    asks=(
        "[How do I|Can you tell me how to] [hang a heavy mirror|bleed a radiator|fix a squeaky stair|seal a window]?",
        "We [want|need] [more storage|better light|less clutter] [in the hall|upstairs|in a small flat], [ideas|where to begin]?",
        "[Is it worth|Should I consider] [insulating the loft|a heat pump|sanding the floor|double glazing]?",
        "[The tap drips|A door sticks|The drain smells], [can I fix that myself|whom do I call]?",
    ),
    follows=(
        "[Which tools|What] do I need [for that|to start]?",
        "[Roughly what|How much] would [that|a professional] cost?",
        "[We rent|The house is from 1930|The walls are plasterboard], does that [matter|change the answer]?",
        "How long [does it take|until it dries|will it last]?",
    ),
    tips=(
        "[Turn off|Isolate] the [water|power] first, [always|even for small jobs].",
        "Use [the right plug|a proper anchor] for [hollow|old] walls, [screws alone fail|it saves grief].",
        "[Sand lightly|Prime] between coats, [patience pays|it shows].",
        "Get [three quotes|a written quote] and [ask what is excluded|compare like with like].",
        "[Vertical space|The back of a door|A bench with a lid] is [free storage|often forgotten].",
        "[Silicone|Caulk] needs [a dry surface|a full day], [do not rush it|so plan for it].",
    ),
    chronic=(
        "Choosing a paint colour for the {room} is personal, and any shade looks different on the walls than in the tin.",
        "A spare key needs a place that a neighbour can find when you are locked out, and that a thief cannot.",
        "Which firm you hire to redo the {room} should depend on references, so ask the tradespeople who employ them.",
        "A stain in the {room} calls for patience: what you use depends on the mess, and every cleaning trick has limits.",
        "Repairs at home never come alone, and most households deal with several emergencies in total each year.",
        "When you decorate or buy furniture such as a sofa, let your own taste decide and not what others propose.",
        "Write down the paint, the firm, the hiding place and the date, because nobody remembers where or which later.",
    ),
)

DOMAINS = (COOKING, GARDEN, HOME)
