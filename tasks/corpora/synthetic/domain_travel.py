"""The synthetic corpus's domain "travel": its facts and its small talk."""

from tasks.corpora.synthetic.kinds import AssistantFact, Domain, EventSeries, Preference, UserFact, words

TRAVEL = Domain(
    name="travel",
    user=(
        UserFact(
            name="travel.hotel",
            topic="the place where {friend} and I stay in {city}",
            values=words(
                "Casa Amarela|the Lantern House|Hotel Meridiano|the Quayside Rooms|Villa Ondine|the Copper "
                "Inn|Pension Alba"
            ),
            said=(
                "{friend} and I [booked|reserved] {value} in {city}, [breakfast included|two nights].",
                "we will [stay at|be in] {value} when {friend} and I [visit|go to] {city} in {month}.",
            ),
            changed=(
                "the first booking in {city} fell through, so {friend} and I [stay at|have] {value}.",
                "{friend} found [a quieter|a nicer] place for {city}: we are in {value} now.",
            ),
            near=("Where do {friend} and I stay in {city}?",),
            far=(
                "Which accommodation have {friend} and I arranged for {city_alias}?",
                "What address do I give the taxi driver in {city_alias}?",
            ),
        ),
        UserFact(
            name="travel.month",
            topic="the month of our trip to {city}",
            values=words("February|March|April|May|June|September|October|November"),
            said=(
                "{sibling} and I [fly|travel] to {city} in {value}, [tickets are bought|finally].",
                "our trip to {city} is in {value}, {sibling} [gets leave then|counts the days].",
            ),
            changed=(
                "the airline moved things, so {sibling} and I [go|fly] to {city} in {value} now.",
                "we postponed {city}: {sibling} and I [travel|leave] in {value} [instead|after all].",
            ),
            near=("In which month do {sibling} and I travel to {city}?",),
            far=(
                "When will my {kin} and I see {city_alias}?",
                "For which part of the year should I block my calendar for the journey with {sibling}?",
            ),
        ),
        UserFact(
            name="travel.carrier",
            topic="the way we get to {city}",
            values=words(
                "the night train|a ferry|a rented van|a shared taxi|the early coach|two short flights|a motorbike"
            ),
            said=(
                "{partner} and I [take|decided on] {value} to {city}, [slow but pretty|cheaper too].",
                "to reach {city} it will be {value}, {partner} [hates airports|did the sums].",
            ),
            changed=(
                "strikes everywhere, so {partner} and I [use|take] {value} to {city} after all.",
                "{partner} rebooked: {value} is how we [reach|get to] {city} now.",
            ),
            near=("How do {partner} and I get to {city}?",),
            far=(
                "What means of transport did {partner} and I settle on for {city_alias}?",
                "Which vehicle brings {partner} and me to {city_alias}?",
            ),
        ),
    ),
    assistant=(
        AssistantFact(
            name="travel.eatery",
            values=words(
                "Tasca do Mar|Blue Pepper|The Salted Pear|Nonna Ida|Kaya Street Grill|Le Petit Zinc|Zephyr "
                "Terrace|Madam Lo"
            ),
            prompt=("{friend} and I have one evening in {city}, where should we eat?",),
            told=(
                "For one evening in {city}, I would [book|go to] {value}, [ask for the terrace|arrive early], [small "
                "menu|honest prices].",
            ),
            near=("Where did you tell {friend} and me to eat in {city}?",),
            far=(
                "What restaurant was your pick for {city_alias}?",
                "Which table did you say {friend} and I ought to reserve in {city_alias}?",
            ),
        ),
        AssistantFact(
            name="travel.sight",
            values=words(
                "the rooftop cistern|the tile museum|the Sunday flea market|the botanical steps|the old "
                "observatory|the ferry graveyard"
            ),
            prompt=(
                "is there [something unusual|a hidden corner] to see in {city}? {sibling} [hates queues|has seen the "
                "famous bits].",
            ),
            told=("Few visitors to {city} know {value}, [free before noon|best at dusk], [go on foot|bring water].",),
            near=("Which unusual thing to see in {city} did you mention for {sibling}?",),
            far=(
                "What off-the-beaten-track attraction did you know in {city_alias}?",
                "{sibling} asks for your insider tip about {city_alias}.",
            ),
        ),
    ),
    preferences=(
        Preference(
            name="travel.seat",
            values=words(
                "aisle seats near the exit|hotels without lifts or lobbies|trips without any museum|travel with hand "
                "luggage only|quiet carriages"
            ),
            said=(
                "{partner} and I [always choose|insist on] {value}, [anything else is misery|we learned the hard way].",
                "[my rule on the road is|when away I want] {value}, and {partner} [agrees|sighs].",
            ),
            near=("What do {partner} and I insist on when we travel, and what should we book?",),
            far=(
                "Plan a long weekend away for {partner} and me.",
                "{partner} and I have five days off in {month}. Where to, and how?",
            ),
        ),
    ),
    events=(
        EventSeries(
            name="travel.trip",
            values=words(
                "the canal cruise=the slow boat|the dune hike=walking over sand|the castle weekend=sleeping behind "
                "battlements|the vineyard tour=tasting among grapes"
                "|the whale watching=looking for fins|the steam railway day=the old locomotive|the island "
                "picnic=lunch across the water"
            ),
            said=(
                "{friend} and I came back from {value} today, [sunburnt|with wet shoes], [never again|what a treat].",
                "[today was|we just did] {value} with {friend}, [photos follow|totally worth it].",
            ),
            near=("How many excursions did {friend} and I do?",),
            far=("Summing up, how often did {friend} and I get out of town for fun?",),
            first=("Which did {friend} and I do first, {a} or {b}?", "Did {a} happen before {b}?"),
            days=("How many days after {a} came {b}?", "How long was it from {a} to {b}?"),
        ),
    ),
    asks=(
        "[What should I|Can you help me] pack for [a week of rain|carry-on only|a cold desert|hiking with kids]?",
        "[Is it safe|How easy is it] to [drive|travel alone|take night buses] in {city}?",
        "[How do I|Tips to] [beat jet lag|find cheap fares|avoid crowds|learn basic phrases], [quickly|before "
        "{month}]?",
        "I am [dreaming of|thinking about] [mountains|an island|a city break], [where|any ideas] in {month}?",
    ),
    follows=(
        "[And visas|What about insurance], [do I need one|worth it]?",
        "[How much cash|Which adapter] [should I bring|is best]?",
        "[We travel with {kid}|I get seasick|Our budget is tight], [does that change it|any adjustments]?",
        "Is [one day|three nights|a week] [enough|too long]?",
    ),
    tips=(
        "[Roll|Layer] clothes and [wear|carry] the [heaviest|bulkiest] [shoes|coat].",
        "[Book|Reserve] [trains|the ferry] [six weeks ahead|early], [prices jump|seats vanish].",
        "[Walk|Ride a tram] [first|on day one], [maps make sense later|you learn the scale].",
        "[Copy|Photograph] [passports|tickets] and [mail them to yourself|keep them offline].",
        "[Eat|Shop] where [menus are short|office workers queue], [a safe rule|almost anywhere].",
        "[Arrive|Leave] [midweek|before nine], [fewer crowds|calmer stations].",
    ),
    chronic=(
        "Where to stay in {city} depends on budget: any accommodation with a clear address for the taxi driver is "
        "fine.",
        "Which month to travel to {city} is a trade-off, so block the calendar for the part of the year when it is "
        "mild.",
        "How you get to {city}, and which vehicle or means of transport you settle on, is a question of time and "
        "money.",
        "Where to eat in {city} is a matter of taste, and a restaurant table worth having is one you reserve.",
        "Unusual things to see in {city} are easy to find, since every attraction off the beaten track has an insider "
        "tip.",
        "Excursions with friends add up, so count how many you did and which came first before you get out of town "
        "again.",
        "For a long weekend away, decide what you insist on when you travel before you book anything with a partner.",
    ),
)
