"""Domains of the synthetic corpus: fitness, health, pets."""

from tasks.corpora.synthetic_kinds import AssistantFact, Domain, EventSeries, Preference, UserFact, words

FITNESS = Domain(
    name="fitness",
    user=(
        UserFact(
            name="fitness.time",
            topic="my best time over five kilometres",
            values=words("24:10|25:50|27:12|28:35|29:40|31:05|33:20|22:48"),
            said=(
                "I ran five kilometres in {value} [with|next to] {friend}, my [best|personal best] so far.",
                "{friend} paced me to {value} over five kilometres, [still cannot believe it|my best yet].",
            ),
            changed=(
                "I beat my old best with {friend} today: {value} for five kilometres!",
                "new personal record thanks to {friend}, {value} over the five kilometres [in the rain|on the canal path].",
            ),
            near=("What is my personal best over five kilometres, the one with {friend}?",),
            far=(
                "How fast can I cover a parkrun when {friend} sets the pace?",
                "What did the stopwatch say on my quickest run alongside {friend}?",
            ),
        ),
        UserFact(
            name="fitness.trainer",
            topic="the first name of my {sport} coach",
            values=words("Ragnhild|Aurelio|Bettina|Cyprian|Domenica|Eustace|Fenella|Gustavo|Henrike|Jarek"),
            said=(
                "my {sport} coach is called {value}, {colleague} [trains there too|recommended the club].",
                "{colleague} introduced me to {value}, who [coaches|teaches] {sport} on {day}s.",
            ),
            changed=(
                "the old {sport} coach left, so {colleague} and I [are with|train under] {value} now.",
                "{value} has taken over {sport} from our former coach, [good news|and {colleague} approves].",
            ),
            near=("What is the name of my {sport} coach, the one {colleague} knows?",),
            far=("Who instructs me in {sport_alias}?", "Who shouts at {colleague} and me during {sport_alias}?"),
        ),
        UserFact(
            name="fitness.gym",
            topic="the gym where I work out with {partner}",
            values=words(
                "Iron Harbour|The Foundry|Pulse on Mill Lane|Kinetic Loft|Riverside Strength|Studio Nine|Granite"
            ),
            said=(
                "{partner} and I [joined|signed up at] {value}, [a year's membership|it was on offer].",
                "[these days|usually] I work out at {value} with {partner}, [before breakfast|it is never crowded].",
            ),
            changed=(
                "we cancelled the old gym: {partner} and I [work out at|are members of] {value} now.",
                "{partner} found [a cheaper place|somewhere closer], so it is {value} for our workouts from {month}.",
            ),
            near=("At which gym do I work out with {partner}?",),
            far=(
                "Where do {partner} and I lift weights?",
                "{partner} left a towel behind after exercising with me. Which place do I phone?",
            ),
        ),
    ),
    assistant=(
        AssistantFact(
            name="fitness.exercise",
            values=words(
                "dead bugs|Copenhagen planks|Nordic curls|face pulls|goblet squats|bird dogs|farmer's carries"
            ),
            prompt=(
                "after {sport} my [hips|shoulders|knees] feel weak, [one exercise please|what would you add]? {friend} has the same.",
            ),
            told=(
                "For {sport} I would add {value}, [three sets|slowly], twice a week, [nothing fancier|and be strict about form].",
            ),
            near=("Which exercise did you say I should add for {sport}?",),
            far=(
                "What movement did you prescribe to {friend} and me against our weakness?",
                "Remind me of your strengthening tip for {sport_alias}.",
            ),
        ),
    ),
    preferences=(
        Preference(
            name="fitness.style",
            values=words(
                "exercise outdoors, never in a studio|short intense sessions|training alone with a podcast|group classes with loud music"
            ),
            said=(
                "I [only enjoy|really prefer] {value}, {friend} [finds that odd|is the opposite].",
                "[what keeps me going is|for me it has to be] {value}, unlike {friend}.",
            ),
            near=("Which training would match what I prefer, unlike {friend}?",),
            far=(
                "I have gained weight since {month}. How should I get moving again, with or without {friend}?",
                "Draw up a routine for next month that I will stick to longer than {friend} did.",
            ),
        ),
    ),
    events=(
        EventSeries(
            name="fitness.race",
            values=words(
                "the Harbour Ten=the run past the ships|the Mud Marathon=the dirty long one|the Bridges Half=the race across the river"
                "|the Midnight Mile=the short sprint after dark|the Quarry Trail=the rocky path run|the Lake Swim=the open water challenge"
            ),
            said=(
                "{friend} and I [finished|completed] {value} today, [medals and all|I can hardly walk].",
                "[we did it|done]: {value} with {friend}, [slower than hoped|what an atmosphere].",
            ),
            near=("How many races have {friend} and I completed?",),
            far=("At how many sporting competitions was {friend} by my side altogether?",),
            first=("Which did I complete first, {a} or {b}?", "Was it {a} or {b} that {friend} and I did earlier?"),
            days=("How many days after {a} was {b}?", "How much time lay between {a} and {b}?"),
        ),
    ),
    asks=(
        "[How often|How many times a week] should I [stretch|do intervals|train legs|rest] as a [beginner|returning runner]?",
        "[Can you write|Please give me] a [ten-minute|simple] [warm-up|core routine|mobility flow] [for {sport}|before work]?",
        "My [calves|wrists|shoulders] [ache|are stiff] after {sport}, is that [normal|a bad sign]?",
        "[I keep skipping workouts|Motivation is low] [since {month}|after the holidays], [help|what works for others]?",
    ),
    follows=(
        "[And on rest days|What about weekends], [anything at all|just walking]?",
        "Should I [eat|drink something] [before|right after] that?",
        "[I own|There is] [a kettlebell|a rope|only a mat] [at home|here], [is that enough|can I use it]?",
        "[How soon|When] [would I see|do people notice] [results|a difference]?",
    ),
    tips=(
        "[Add|Increase] [distance|weight] by [no more than|about] a tenth [each week|at a time].",
        "[Warm up|Start] with [brisk walking|easy circles], [joints like it|cold muscles complain].",
        "[Sleep|Protein|An easy day] does [more|as much] for recovery [than gadgets|as any massage].",
        "[Film yourself|Use a mirror] to check [form|your back], [habits creep in|you will be surprised].",
        "Put [shoes by the door|the session in your calendar], [friction kills plans|it becomes automatic].",
        "Stop when [pain is sharp|form breaks down], soreness [next day|in the muscle] is [normal|fine].",
    ),
    chronic=(
        "A personal best over five kilometres improves when someone sets the pace, but how fast you run is not everything.",
        "The name on the gym door matters little: where you lift weights or work out with a partner should be close by.",
        "A good coach for {sport} knows who needs what, so ask around which instructor trains people like you.",
        "Which exercise to add for {sport} depends on your weakness, and any strengthening movement needs weeks.",
        "Races and other competitions are great goals, and how many you complete in total is up to you and your friend.",
        "A training routine only works when you stick to it, so choose what you prefer and get moving again.",
        "Keep a log of times, coaches, gyms and races, because nobody remembers which came first or how many there were.",
    ),
)

HEALTH = Domain(
    name="health",
    user=(
        UserFact(
            name="health.doctor",
            topic="the doctor who treats my {ailment}",
            values=words(
                "Dr Achterberg|Dr Mbeki|Dr Lindqvist|Dr Sarkissian|Dr Pelletier|Dr Okonkwo|Dr Villanueva|Dr Trent"
            ),
            said=(
                "{value} [treats|is looking after] my {ailment}, {sibling} [goes there as well|found the clinic].",
                "for the {ailment} I [see|was referred to] {value}, [{sibling} drove me|a very patient doctor].",
            ),
            changed=(
                "my doctor retired, so {value} [treats|handles] the {ailment} now, as {sibling} suggested.",
                "I [switched|changed] to {value} for my {ailment}, {sibling} [insisted|was right].",
            ),
            near=("Which doctor treats my {ailment}, the one {sibling} knows?",),
            far=(
                "Whom do I consult about {ailment_alias}?",
                "Which specialist should I call when {ailment_alias} gets worse?",
            ),
        ),
        UserFact(
            name="health.dose",
            topic="the dose of my {ailment} tablets",
            values=words("5 milligrams|10 milligrams|20 milligrams|40 milligrams|75 milligrams|150 milligrams"),
            said=(
                "I [take|am on] {value} for the {ailment}, {partner} [reminds me|counts the tablets].",
                "the tablets against {ailment} are {value}, [with breakfast|at night], and {partner} keeps the box.",
            ),
            changed=(
                "the {ailment} tablets were [raised|adjusted] to {value}, {partner} [wrote it down|noticed the change].",
                "new prescription: {value} for the {ailment} [from today|from now on], {partner} collected it.",
            ),
            near=("What dose of {ailment} tablets do I take, the ones {partner} watches over?",),
            far=(
                "How much medicine am I on because of {ailment_alias}?",
                "The pharmacist asks how strong my pills are. {partner} is not here. What do I say?",
            ),
        ),
        UserFact(
            name="health.trigger",
            topic="the trigger of my {ailment}",
            values=words(
                "red wine|aged cheese|air conditioning|wool blankets|late screens|skipped lunches|perfumed soap|long drives"
            ),
            said=(
                "{friend} and I worked out that {value} [set off|cause] my {ailment}, [of all things|how annoying].",
                "my {ailment} [come|flare up] from {value}, {friend} [spotted it|kept the diary].",
            ),
            changed=(
                "we were wrong about the {ailment}: {friend} and I [are sure|found out] that {value} are behind it.",
                "[tests came back|surprise], it is {value} that [sets off|triggers] my {ailment}, {friend} was amazed.",
            ),
            near=("What sets off my {ailment}, as {friend} and I worked out?",),
            far=(
                "What should I stay away from to avoid {ailment_alias}?",
                "What did {friend} and I blame for {ailment_alias}?",
            ),
        ),
    ),
    assistant=(
        AssistantFact(
            name="health.remedy",
            values=words(
                "a humidifier|peppermint oil|magnesium in the evening|a grass pillow|wrist splints|oat baths|ginger tea"
            ),
            prompt=(
                "apart from tablets, [what eases|is there anything for] {ailment}? {sibling} [tried everything|swears by herbs].",
            ),
            told=(
                "[Besides medicine|As an extra], {value} [may ease|has helped people with] {ailment}, [ask your doctor first|give it two weeks].",
            ),
            near=("What did you suggest for {ailment} apart from tablets?",),
            far=(
                "Which home remedy did you bring up for {ailment_alias}?",
                "{sibling} suffers too: what gentle measure did you tell me about?",
            ),
        ),
    ),
    preferences=(
        Preference(
            name="health.care",
            values=words(
                "appointments before eight in the morning|women doctors|video calls rather than waiting rooms|as few pills as possible"
            ),
            said=(
                "I [strongly prefer|always ask for] {value}, {partner} [understands|knows why].",
                "[for me it must be|I insist on] {value}, even if {partner} rolls eyes.",
            ),
            near=("Which kind of appointment or care do I prefer, as {partner} knows?",),
            far=(
                "Please help me to find a new dentist, {partner} is moving practice as well.",
                "I need a check-up booked before {partner} nags. How should I go about it?",
            ),
        ),
    ),
    events=(
        EventSeries(
            name="health.visit",
            values=words(
                "the eye test=the new glasses|the blood test=the needle|the hearing check=the beeps in the booth|the skin scan=the mole check"
                "|the dental cleaning=the hygienist|the knee X-ray=the picture of my leg|the flu jab=the vaccination"
            ),
            said=(
                "I had {value} today, {sibling} [came along|waited outside], [all fine|results next week].",
                "[finally|at last] got {value} done this morning, [thanks to {sibling}|{sibling} held my hand].",
            ),
            near=("How many medical visits did {sibling} come along to?",),
            far=("How often in all has {sibling} kept me company at a clinic?",),
            first=("Which did I have first, {a} or {b}?", "Did {a} take place before {b}?"),
            days=("How many days after {a} did I have {b}?", "How much time passed from {a} to {b}?"),
        ),
    ),
    asks=(
        "[Why do I|Is it normal to] [wake at four|get dizzy when I stand up|feel tired after lunch] [lately|so often]?",
        "[What can I do|Any advice] about [dry eyes|stress at work|a stiff neck|poor sleep], [nothing drastic|please]?",
        "[How much|Which] [water|sunlight|fibre|vitamin D] does [a person|someone my age] [need|really need]?",
        "[Could you explain|What does] [a cholesterol value|blood pressure|an allergy test] [mean|tell me] [in plain words|simply]?",
    ),
    follows=(
        "[And if|What if] it [gets worse|comes back|lasts for weeks]?",
        "[Is there|Do you know] [a natural option|anything without side effects]?",
        "[I drink a lot of coffee|I sit all day|I work shifts], [could that be it|does that play a role]?",
        "Should I [see someone|wait|keep a diary]?",
    ),
    tips=(
        "[Keep|Hold] a [regular|fixed] bedtime, [weekends included|screens off an hour before].",
        "[Note down|Track] [what you ate|how you slept] for [ten days|two weeks], patterns [appear|help doctors].",
        "[Short walks|Breaks every hour] [loosen the neck|lower stress] [more than you expect|reliably].",
        "See [a doctor|someone] [soon|today] if [it is sudden|there is fever|you feel numb].",
        "[Drink|Sip] water [through the day|before coffee], [thirst is late|your head will thank you].",
        "[Breathe out slowly|Count to six] [when it builds up|three times], it [calms the pulse|sounds silly and works].",
    ),
    chronic=(
        "Which doctor treats {ailment} best depends on the case, so consult a specialist and ask whom others know.",
        "The dose of any tablets against {ailment} is up to your doctor: never change how much medicine you take alone.",
        "Finding out what sets off {ailment} takes time, and many people blame the wrong trigger before they avoid the right one.",
        "A home remedy may ease {ailment} apart from tablets, but a gentle measure is no substitute for care.",
        "Medical visits go better when somebody comes along, and how many you had in all is worth writing down.",
        "When you look for a dentist, a clinic or a check-up, say which kind of appointment you prefer.",
        "A health folder with each doctor, dose, trigger and visit answers most questions that people have later.",
    ),
)

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
                "Elm Tree Vets|Harbour Animal Care|Dr Kowalski's practice|Four Paws Lodge|Northgate Vets|the Willow clinic"
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
                "the old railway line|Hob Moor|the quarry lake|the vicarage meadow|Foxglove Woods|the towpath|the common"
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
                "the towel method|a snuffle mat|lick mats with yoghurt|a white noise box|scatter feeding|the open-crate game"
            ),
            prompt=("{pet} [howls|panics] when I leave the house, [what can I do|any method]? {neighbor} complained.",),
            told=(
                "For an animal like {pet} I would [start with|try] {value}, [five minutes a day|before you put on your coat].",
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
                "reward-based training only|no clothes or costumes on animals|toys made without plastic|adopting instead of buying"
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
                "the puppy party=the animal social|the beach day=the outing to the sea|the grooming session=the haircut|the agility trial=the obstacle course"
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
        "[Why does|Is it normal that] my {pet_kind} [stares at walls|eats grass|sleeps all day|hides under the bed]?",
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
        "[Rotate|Hide] toys [every few days|around the flat], [boredom|spare energy] is [often the cause|half the trouble].",
        "Check [teeth|ears|paws] [on Sundays|once a week], [problems hide there|make it a game].",
        "[Fresh water|A quiet corner|A high perch] [in every room|away from traffic] [helps more than toys|is underrated].",
        "[Call the vet|Get help] if [eating stops|it lasts beyond a day], [do not wait|better safe].",
    ),
    chronic=(
        "Which brand of food {pet} eats is less important than what goes into the bowl and how a {pet_kind} digests it.",
        "Every {pet_kind} should be registered at a clinic that takes care of animals day and night, whom you can ring.",
        "Where to walk {pet} depends on the weather: any spot to burn off energy will do if a neighbour is late.",
        "When {pet} panics as you leave the house, a method to calm a {pet_kind} with separation trouble needs patience.",
        "Outings and appointments with {pet} add up, and a friend who comes along makes each treat easier.",
        "A weekend course or a birthday present for {pet} is fun, so buy what you believe in and what friends suggest.",
        "Keep a card with the food brand, the vet, the walks and the outings of {pet} for anyone who looks after the animal.",
    ),
)

DOMAINS = (FITNESS, HEALTH, PETS)
