"""The synthetic corpus's domain "fitness": its facts and its small talk."""

from tasks.corpora.synthetic.kinds import AssistantFact, Domain, EventSeries, Preference, UserFact, words

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
                "new personal record thanks to {friend}, {value} over the five kilometres [in the rain|on the canal "
                "path].",
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
                "after {sport} my [hips|shoulders|knees] feel weak, [one exercise please|what would you add]? "
                "{friend} has the same.",
            ),
            told=(
                "For {sport} I would add {value}, [three sets|slowly], twice a week, [nothing fancier|and be strict "
                "about form].",
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
                "exercise outdoors, never in a studio|short intense sessions|training alone with a podcast|group "
                "classes with loud music"
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
                "the Harbour Ten=the run past the ships|the Mud Marathon=the dirty long one|the Bridges Half=the race "
                "across the river"
                "|the Midnight Mile=the short sprint after dark|the Quarry Trail=the rocky path run|the Lake Swim=the "
                "open water challenge"
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
        "[How often|How many times a week] should I [stretch|do intervals|train legs|rest] as a [beginner|returning "
        "runner]?",
        "[Can you write|Please give me] a [ten-minute|simple] [warm-up|core routine|mobility flow] [for "
        "{sport}|before work]?",
        "My [calves|wrists|shoulders] [ache|are stiff] after {sport}, is that [normal|a bad sign]?",
        "[I keep skipping workouts|Motivation is low] [since {month}|after the holidays], [help|what works for "
        "others]?",
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
        "A personal best over five kilometres improves when someone sets the pace, but how fast you run is not "
        "everything.",
        "The name on the gym door matters little: where you lift weights or work out with a partner should be close "
        "by.",
        "A good coach for {sport} knows who needs what, so ask around which instructor trains people like you.",
        "Which exercise to add for {sport} depends on your weakness, and any strengthening movement needs weeks.",
        "Races and other competitions are great goals, and how many you complete in total is up to you and your "
        "friend.",
        "A training routine only works when you stick to it, so choose what you prefer and get moving again.",
        "Keep a log of times, coaches, gyms and races, because nobody remembers which came first or how many there "
        "were.",
    ),
)
