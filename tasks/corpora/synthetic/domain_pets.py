"""The synthetic corpus's domain "pets": its facts and its small talk."""

from tasks.corpora.synthetic.kinds import AssistantFact, Domain, EventSeries, Preference, UserFact, words

PETS = Domain(
    name="pets",
    user=(
        UserFact(
            name="pets.food",
            topic="the brand of food that {pet} eats",
            values=words(
                "Barkwell Farms|Nibbleworth|Tailfeather Gold|Meadow & Bone|Pawsome Pantry|Old Shepherd|Whiskerley"
            ),
            said=(
                "{pet} [only eats|gets] {value}, my {pet_kind} is [fussy|spoilt], [says {neighbor}|{neighbor} laughs].",
                "I [feed|give] {pet} {value}, [the vet is happy|{neighbor} buys it for us in bulk].",
            ),
            changed=(
                "{pet} was sick on the old food, so [it is|we changed to] {value} now.",
                "the shop stopped our brand: {pet} [eats|has taken to] {value} [instead|these days].",
            ),
            near=("Which brand of food does {pet} eat?",),
            far=(
                "What goes into {pet}'s bowl?",
                "{neighbor} looks after my {pet_kind} and wants to buy supplies. What do I tell them?",
            ),
        ),
        UserFact(
            name="pets.vet",
            topic="the clinic where {pet} is registered",
            values=words(
                "Elm Tree Vets|Harbour Animal Care|Dr Kowalski's practice|Four Paws Lodge|Northgate Vets|the Willow "
                "clinic"
            ),
            said=(
                "I registered {pet} at {value}, [close to the station|{friend} works there].",
                "{value} [did|handled] the jabs for {pet}, and {friend} [came along|held the lead].",
            ),
            changed=(
                "{pet} is [now a patient of|registered with] {value}, the old vet [closed|was rude to {friend}].",
                "after the move {friend} got {pet} a place at {value}.",
            ),
            near=("At which clinic is {pet} registered?",),
            far=("My {pet_kind} swallowed a button! Whom do I ring?", "Who takes care of {pet} medically?"),
        ),
        UserFact(
            name="pets.walk",
            topic="the place where {pet} gets exercise with {neighbor}",
            values=words(
                "the old railway line|Hob Moor|the quarry lake|the vicarage meadow|Foxglove Woods|the towpath|the "
                "common"
            ),
            said=(
                "{neighbor} [walks|takes out] {pet} on {value} [when I work|every other day].",
                "{pet} and {neighbor} [go to|love] {value}, [muddy as it is|an hour each time].",
            ),
            changed=(
                "because of the [building site|ticks], {neighbor} takes {pet} to {value} now.",
                "{pet} and {neighbor} have a new favourite: {value}, [the old one is fenced off|since last week].",
            ),
            near=("Where does {neighbor} walk {pet}?",),
            far=(
                "{neighbor} is late and I worry about my {pet_kind}. Where should I search?",
                "In what spot does my {pet_kind} burn off energy?",
            ),
        ),
    ),
    assistant=(
        AssistantFact(
            name="pets.trick",
            values=words(
                "the towel method|a snuffle mat|lick mats with yoghurt|a white noise box|scatter feeding|the "
                "open-crate game"
            ),
            prompt=("{pet} [howls|panics] when I leave the house, [what can I do|any method]? {neighbor} complained.",),
            told=(
                "For an animal like {pet} I would [start with|try] {value}, [five minutes a day|before you put on "
                "your coat].",
            ),
            near=("Which method did you recommend when {pet} panicked at my leaving?",),
            far=(
                "What was your answer to {pet}'s separation trouble?",
                "How did you propose to calm my {pet_kind} so that {neighbor} gets peace?",
            ),
        ),
    ),
    preferences=(
        Preference(
            name="pets.training",
            values=words(
                "reward-based training only|no clothes or costumes on animals|toys made without plastic|adopting "
                "instead of buying"
            ),
            said=(
                "I [firmly believe in|am all for] {value}, [also for {pet}|{friend} knows it].",
                "with {pet} it is {value} [for me|and nothing else], even when {friend} disagrees.",
            ),
            near=("What do I believe in when it comes to {pet}, and what should I buy accordingly?",),
            far=(
                "{pet} has a birthday soon, {friend} wants to bring something. What do you suggest?",
                "Can you find us a weekend course for {pet}?",
            ),
        ),
    ),
    events=(
        EventSeries(
            name="pets.trip",
            values=words(
                "the puppy party=the animal social|the beach day=the outing to the sea|the grooming session=the "
                "haircut|the agility trial=the obstacle course"
                "|the photo shoot=having pictures taken|the night at the emergency vet=the midnight scare"
            ),
            said=(
                "{pet} and I are back from {value} with {friend}, [both asleep on our feet|what a day].",
                "{value} today for {pet}! {friend} [took photos|came to help].",
            ),
            near=("How many outings did {friend} join {pet} and me for?",),
            far=("How often altogether was {friend} there when my {pet_kind} had an appointment or treat?",),
            first=("Which came first for {pet}, {a} or {b}?", "Did {pet} go through {a} or {b} earlier?"),
            days=("How many days were between {a} and {b} for {pet}?",),
        ),
    ),
    asks=(
        "[Is it normal that|Should I worry when] my {pet_kind} [stares at walls|eats grass|sleeps all day|hides under "
        "the bed]?",
        "[How do I|Can you help me to] [trim claws|clean ears|introduce a second animal|stop the chewing]?",
        "{pet} [pulls|jumps up|scratches the sofa], [what is the trick|any training ideas]?",
        "[What should I pack|How do I prepare] for [a long drive|a flight|fireworks] with a {pet_kind}?",
    ),
    follows=(
        "{pet} is [nine|two|almost four] [years old|already], does [age|that] matter?",
        "[How many times|How often] [a day|a week] [is enough|should I do it]?",
        "[Treats make the tummy upset|We live in a flat|There is a baby], [any alternative|so what then]?",
        "[And|What] if {pet} [refuses|gets scared|ignores me]?",
    ),
    tips=(
        "[Reward|Praise] the [calm moment|first quiet second], not [the noise|the drama].",
        "[Introduce|Bring in] anything new [over a week|in tiny steps], [animals like routine|stress shows late].",
        "[Rotate|Hide] toys [every few days|around the flat], [boredom|spare energy] is [often the cause|half the "
        "trouble].",
        "Check [teeth|ears|paws] [on Sundays|once a week], [problems hide there|make it a game].",
        "[Fresh water|A quiet corner|A high perch] [in every room|away from traffic] [helps more than toys|is "
        "underrated].",
        "[Call the vet|Get help] if [eating stops|it lasts beyond a day], [do not wait|better safe].",
    ),
    chronic=(
        "Which brand of food {pet} eats is less important than what goes into the bowl and how a {pet_kind} digests "
        "it.",
        "Every {pet_kind} should be registered at a clinic that takes care of animals day and night, whom you can "
        "ring.",
        "Where to walk {pet} depends on the weather: any spot to burn off energy will do if a neighbour is late.",
        "When {pet} panics as you leave the house, a method to calm a {pet_kind} with separation trouble needs "
        "patience.",
        "Outings and appointments with {pet} add up, and a friend who comes along makes each treat easier.",
        "A weekend course or a birthday present for {pet} is fun, so buy what you believe in and what friends suggest.",
        "Keep a card with the food brand, the vet, the walks and the outings of {pet} for anyone who looks after the "
        "animal.",
    ),
)
