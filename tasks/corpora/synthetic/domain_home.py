"""The synthetic corpus's domain "home": its facts and its small talk."""

from tasks.corpora.synthetic.kinds import AssistantFact, Domain, EventSeries, Preference, UserFact, words

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
                "under the blue flowerpot|in the bird house|inside the fuse box|behind the loose brick|in the "
                "gnome|in the shed drawer"
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
                "oxalic acid|sodium percarbonate|a paste of baking soda|glycerine|isopropyl alcohol|white spirit|a "
                "pumice stone"
            ),
            prompt=("{kid} [spilled something|left a mark] in the {room}, how do I get the stain out?",),
            told=(
                "For that mark in the {room}, [dab|work in] {value}, wait ten minutes, then [rinse|blot] with cold "
                "water.",
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
                "second-hand furniture|dark wood and brass|very sparse rooms|bright patterned fabric|curved shapes, "
                "no sharp edges"
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
        "We [want|need] [more storage|better light|less clutter] [in the hall|upstairs|in a small flat], [ideas|where "
        "to begin]?",
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
        "Choosing a paint colour for the {room} is personal, and any shade looks different on the walls than in the "
        "tin.",
        "A spare key needs a place that a neighbour can find when you are locked out, and that a thief cannot.",
        "Which firm you hire to redo the {room} should depend on references, so ask the tradespeople who employ them.",
        "A stain in the {room} calls for patience: what you use depends on the mess, and every cleaning trick has "
        "limits.",
        "Repairs at home never come alone, and most households deal with several emergencies in total each year.",
        "When you decorate or buy furniture such as a sofa, let your own taste decide and not what others propose.",
        "Write down the paint, the firm, the hiding place and the date, because nobody remembers where or which later.",
    ),
)
