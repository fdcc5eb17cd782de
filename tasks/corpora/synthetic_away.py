"""Domains of the synthetic corpus: travel, work, money."""

from tasks.corpora.synthetic_kinds import AssistantFact, Domain, EventSeries, Preference, UserFact, words

TRAVEL = Domain(
    name="travel",
    user=(
        UserFact(
            name="travel.hotel",
            topic="the place where {friend} and I stay in {city}",
            values=words(
                "Casa Amarela|the Lantern House|Hotel Meridiano|the Quayside Rooms|Villa Ondine|the Copper Inn|Pension Alba"
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
                "Tasca do Mar|Blue Pepper|The Salted Pear|Nonna Ida|Kaya Street Grill|Le Petit Zinc|Zephyr Terrace|Madam Lo"
            ),
            prompt=("{friend} and I have one evening in {city}, where should we eat?",),
            told=(
                "For one evening in {city}, I would [book|go to] {value}, [ask for the terrace|arrive early], [small menu|honest prices].",
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
                "the rooftop cistern|the tile museum|the Sunday flea market|the botanical steps|the old observatory|the ferry graveyard"
            ),
            prompt=(
                "is there [something unusual|a hidden corner] to see in {city}? {sibling} [hates queues|has seen the famous bits].",
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
                "aisle seats near the exit|hotels without lifts or lobbies|trips without any museum|travel with hand luggage only|quiet carriages"
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
                "the canal cruise=the slow boat|the dune hike=walking over sand|the castle weekend=sleeping behind battlements|the vineyard tour=tasting among grapes"
                "|the whale watching=looking for fins|the steam railway day=the old locomotive|the island picnic=lunch across the water"
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
        "[How do I|Tips to] [beat jet lag|find cheap fares|avoid crowds|learn basic phrases], [quickly|before {month}]?",
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
        "Where to stay in {city} depends on budget: any accommodation with a clear address for the taxi driver is fine.",
        "Which month to travel to {city} is a trade-off, so block the calendar for the part of the year when it is mild.",
        "How you get to {city}, and which vehicle or means of transport you settle on, is a question of time and money.",
        "Where to eat in {city} is a matter of taste, and a restaurant table worth having is one you reserve.",
        "Unusual things to see in {city} are easy to find, since every attraction off the beaten track has an insider tip.",
        "Excursions with friends add up, so count how many you did and which came first before you get out of town again.",
        "For a long weekend away, decide what you insist on when you travel before you book anything with a partner.",
    ),
)

WORK = Domain(
    name="work",
    user=(
        UserFact(
            name="work.deadline",
            topic="the deadline of {project}",
            values=words(
                "the 3rd of March|the 12th of April|the 27th of May|the 8th of June|the 19th of September|the 30th of October"
            ),
            said=(
                "{colleague} and I have to [deliver|finish] {project} by {value}, [tight but possible|no extension].",
                "the deadline for {project} is {value}, {colleague} [put it on the wall|panics already].",
            ),
            changed=(
                "good news from {colleague}: the deadline for {project} [moved|was shifted] to {value}.",
                "management changed {project}, {colleague} and I must [deliver|hand over] by {value} now.",
            ),
            near=("What is the deadline for {project} with {colleague}?",),
            far=(
                "When do {colleague} and I have to be done with {project_alias}?",
                "How long do I still have for {project_alias}?",
            ),
        ),
        UserFact(
            name="work.lead",
            topic="the lead of {project}",
            values=words("Thornquist|Delacroix-Webb|Nakagawa|Obradovic|Pemberton|Steiner|Rasmussen|Villalobos"),
            said=(
                "{value} [leads|is in charge of] {project}, {colleague} and I report [there|weekly].",
                "for {project} our boss is {value}, [says {colleague}|{colleague} is thrilled].",
            ),
            changed=(
                "there was a reshuffle: {value} [leads|took over] {project} now, {colleague} [had hoped for it|is upset].",
                "{project} has a new head, {value}, [announced today|{colleague} told me].",
            ),
            near=("Who leads {project} that {colleague} and I work on?",),
            far=(
                "To whom do {colleague} and I answer regarding {project_alias}?",
                "Who must approve my plans for {project_alias}?",
            ),
        ),
        UserFact(
            name="work.room",
            topic="the room of the weekly meeting with {colleague}",
            values=words(
                "the glass box|room Fuji|the old canteen|room Kestrel|the third-floor nook|room Baltic|the library corner"
            ),
            said=(
                "{colleague} and I [meet|have our weekly meeting] in {value}, [bad coffee|nice view].",
                "the weekly with {colleague} takes place in {value}, [bring a jumper|always full].",
            ),
            changed=(
                "facilities moved us, the weekly meeting with {colleague} is in {value} now.",
                "{colleague} booked {value} for our weekly [from now on|since the old room leaks].",
            ),
            near=("In which room is the weekly meeting with {colleague}?",),
            far=(
                "Where should a guest go to find {colleague} and me catching up?",
                "I am late, where is {colleague} waiting for our regular talk?",
            ),
        ),
    ),
    assistant=(
        AssistantFact(
            name="work.method",
            values=words(
                "a pre-mortem|a decision log|the Eisenhower grid|silent brainstorming|a RACI chart|timeboxed demos|story mapping"
            ),
            prompt=("{project} is [chaotic|stuck], {colleague} and I [quarrel|drown], which method would you use?",),
            told=(
                "With {project} I would [start with|introduce] {value}, [one hour|a single page], before anything else.",
            ),
            near=("Which method did you tell me to use for {project}?",),
            far=(
                "How did you want {colleague} and me to bring order into {project_alias}?",
                "What technique was your cure for the chaos with {colleague}?",
            ),
        ),
    ),
    preferences=(
        Preference(
            name="work.style",
            values=words(
                "written updates instead of calls|meetings before lunch only|working from the train|feedback in private|one task at a time"
            ),
            said=(
                "I [work best with|much prefer] {value}, {colleague} [knows|had to learn it].",
                "[please remember|what I need is] {value}, [I told {colleague} too|{colleague} is different].",
            ),
            near=("Which way of working do I prefer, as {colleague} knows?",),
            far=(
                "Draft a proposal for how {colleague} and I should cooperate next quarter.",
                "My boss asks how {colleague} and I want to organise ourselves. Ideas?",
            ),
        ),
    ),
    events=(
        EventSeries(
            name="work.event",
            values=words(
                "the safety training=the fire drill lesson|the trade show=the booth in the hall|the client dinner=the meal with customers|the team retreat=the days in the woods"
                "|the pitch in the boardroom=the slides for directors|the hackathon=coding all night"
            ),
            said=(
                "{colleague} and I [got through|survived] {value} today, [applause at the end|my head hurts].",
                "[just finished|long day]: {value} with {colleague}, [better than feared|no comment].",
            ),
            near=("How many work events did {colleague} and I get through?",),
            far=("In all, how many times were {colleague} and I sent somewhere by the company?",),
            first=("Which took place first, {a} or {b}?", "Did {colleague} and I have {a} before {b}?"),
            days=("How many days lay between {a} and {b}?",),
        ),
    ),
    asks=(
        "[How do I|Can you help me to] [say no politely|ask for a raise|write a handover|run a retrospective]?",
        "My [inbox|calendar|to-do list] is [out of control|a nightmare], [where to start|any system]?",
        "[Could you|Please] [rephrase|shorten|improve] [a status update|an email to a client|my agenda], [less stiff|friendlier]?",
        "{colleague} [interrupts|misses deadlines|never replies], [how do I raise it|what would you say]?",
    ),
    follows=(
        "[And remotely|What if we are on video], [the same|any change]?",
        "[My boss hates change|There is no budget|We are only three], [is it realistic|so what]?",
        "[How do I measure|Which number shows] [that|success]?",
        "Could you [give me a first sentence|make it shorter|add a deadline]?",
    ),
    tips=(
        "[Start|Open] with [the decision you need|one clear ask], [context can follow|people skim].",
        "[Block|Guard] [two hours|a morning] [for deep work|each week], [calendars fill by themselves|phone away].",
        "[End|Close] meetings with [who does what|next steps], [in writing|before anyone leaves].",
        "[Praise|Raise issues] [early|within a day], [with one example|privately if it is hard].",
        "[Say|State] what you will [drop|postpone] when [something new|a request] arrives.",
        "[A short list|Three priorities] [beats|is better than] [a perfect system|twenty tags].",
    ),
    chronic=(
        "A deadline for {project} should be on the wall, so that everybody knows when to be done and how long they have.",
        "Who leads {project} ought to be clear from the start: people must know to whom they answer and who approves plans.",
        "A weekly meeting needs a fixed room, or a guest will be late and not find where the regular talk takes place.",
        "Which method or technique brings order into {project} depends on the team, and no cure for chaos fits all.",
        "Work events add up, and many people lose count of how many times the company sent them somewhere, or what came first.",
        "A proposal for how to cooperate next quarter works best if each says which way of working they prefer.",
        "A project page with the deadline, the lead, the room and the method spares you from asking colleagues again.",
    ),
)

MONEY = Domain(
    name="money",
    user=(
        UserFact(
            name="money.saving",
            topic="the monthly amount that we save for {goal}",
            values=words("80 euros|120 euros|150 euros|210 euros|275 euros|340 euros|430 euros|600 euros"),
            said=(
                "{partner} and I [put aside|save] {value} a month for {goal}, [automatically|it hurts a little].",
                "every month {value} goes [into the pot|away] for {goal}, {partner} [set it up|keeps an eye on it].",
            ),
            changed=(
                "after the rent rise {partner} and I [changed|adjusted] it: {value} a month for {goal} now.",
                "{partner} got a raise, so we [save|put aside] {value} monthly for {goal} [from now on|starting today].",
            ),
            near=("How much do {partner} and I save each month for {goal}?",),
            far=(
                "What is our regular contribution towards {goal_alias}?",
                "{partner} wonders what we set aside with {goal_alias} in mind.",
            ),
        ),
        UserFact(
            name="money.bank",
            topic="the bank that holds our account for {goal}",
            values=words(
                "Harrow Mutual|Blue Fjord Bank|Cooper Savings|Penny Lane Union|Meridian Trust|Oaktree Building Society"
            ),
            said=(
                "the account for {goal} is [at|with] {value}, {sibling} [works there|got a bonus].",
                "{sibling} helped me to [open|set up] an account for {goal} at {value}.",
            ),
            changed=(
                "{sibling} showed me better interest, so the {goal} account [moved|is now with] {value}.",
                "I [closed|left] the old bank: {value} has the money for {goal} now, as {sibling} advised.",
            ),
            near=("At which bank is the account for {goal} that {sibling} helped with?",),
            far=("Where do I keep the funds for {goal_alias}?", "Which institution did {sibling} steer me to?"),
        ),
        UserFact(
            name="money.debt",
            topic="the sum that {friend} still owes me",
            values=words("45 euros|70 euros|95 euros|160 euros|230 euros|310 euros"),
            said=(
                "I lent {friend} {value}, [for the deposit|after the car broke down], [no hurry|until {month}].",
                "{friend} owes me {value}, [it is awkward|I never mention it].",
            ),
            changed=(
                "{friend} paid a part back, {value} are [left|still open].",
                "{friend} [borrowed more|needed help again], it is {value} [by now|altogether now].",
            ),
            near=("How much does {friend} owe me?",),
            far=("What is outstanding between {friend} and me?", "What sum should I remind {friend} of?"),
        ),
    ),
    assistant=(
        AssistantFact(
            name="money.trick",
            values=words(
                "the envelope system|a no-spend week|the two-account split|rounding up purchases|a 48-hour rule|annual bill audits"
            ),
            prompt=("{partner} and I never reach {goal}, which saving trick would you [try|pick]?",),
            told=(
                "To get to {goal} I would [try|begin with] {value}, [for three months|no apps needed], then review.",
            ),
            near=("Which saving trick did you pick for {goal}?",),
            far=(
                "How did you think {partner} and I could finally afford {goal_alias}?",
                "What budgeting approach was your advice on {goal_alias}?",
            ),
        ),
    ),
    preferences=(
        Preference(
            name="money.risk",
            values=words(
                "ethical funds only|no debt of any kind|cash over cards|low risk even at low returns|local banks with a counter"
            ),
            said=(
                "{partner} and I [want|stick to] {value}, [sleep matters more|my {kin} {sibling} shakes heads].",
                "[in money matters|with savings] it is {value} for us, [{partner} feels strongly|says {partner}].",
            ),
            near=("Which principle do {partner} and I stick to with savings?",),
            far=(
                "We inherited a little. What should {partner} and I do with it?",
                "How would you invest on behalf of {partner} and me?",
            ),
        ),
    ),
    events=(
        EventSeries(
            name="money.purchase",
            values=words(
                "the espresso machine=the coffee maker|the winter tyres=rubber for the cold|the noise-cancelling headphones=silence for the ears|the dishwasher=the plate cleaner"
                "|the second-hand tandem=the bike for two|the sewing machine=the stitching device"
            ),
            said=(
                "{partner} and I [bought|paid for] {value} today, [after weeks of comparing|a bargain].",
                "[we gave in|splurged]: {value} arrived this morning, {partner} [is delighted|already regrets it].",
            ),
            near=("How many big purchases did {partner} and I make?",),
            far=("How often overall did {partner} and I splash out?",),
            first=("Which did we buy first, {a} or {b}?", "Did {partner} and I pay for {a} before {b}?"),
            days=("How many days passed between buying {a} and {b}?",),
        ),
    ),
    asks=(
        "[How do I|Can you help me to] [make a budget|read a payslip|compare insurers|track subscriptions], [simply|without apps]?",
        "[What is|Could you explain] [compound interest|an index fund|inflation|a credit score], [in plain words|with an example]?",
        "[Is it smarter|Should we] [to rent or buy|pay off loans first|keep an emergency fund], [given that|what do you think]?",
        "[Prices are up|Bills keep rising|Our rent went up], [where can we cut|what is reasonable]?",
    ),
    follows=(
        "[And taxes|What about fees], [do they matter|how much]?",
        "[We are freelancers|{partner} is paid weekly|I hate spreadsheets], [does it still work|any twist]?",
        "[How many months|What percentage] [is sensible|would you keep]?",
        "Is [now|{month}] a [bad|good] time [for that|to start]?",
    ),
    tips=(
        "[Pay yourself|Move savings] [first|on payday], [what is left is spendable|before it tempts you].",
        "[List|Write down] [every subscription|fixed costs], [cancel one|you will find a surprise].",
        "Keep [three|six] months [of costs|in reach], [boring is good|instant access].",
        "[Fees|Costs] [eat|explain] [more than you think|most differences], [read the small print|compare totals].",
        "[Negotiate|Call] [once a year|before renewal], loyalty [rarely pays|is not rewarded].",
        "[Round numbers|One shared sheet] [keep peace|make talks easier] [between partners|on Sundays].",
    ),
    chronic=(
        "How much you save each month for {goal} is personal, and a regular contribution matters more than what you set aside.",
        "Which bank should hold an account for {goal} depends on fees: keep the funds at an institution you trust.",
        "When a friend still owes you a sum, remind them kindly how much is outstanding and let it be.",
        "A saving trick for {goal} is only a budgeting approach, and what you can finally afford depends on income.",
        "Big purchases come in waves, so note how many you make overall and which you buy first before you splash out.",
        "If you inherit or invest, stick to one principle with savings that both partners can live with.",
        "A money folder with the amounts, banks, debts and purchases answers most of what couples ask each other.",
    ),
)

DOMAINS = (TRAVEL, WORK, MONEY)
