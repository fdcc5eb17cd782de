"""The synthetic corpus's domain "work": its facts and its small talk."""

from tasks.corpora.synthetic.kinds import AssistantFact, Domain, EventSeries, Preference, UserFact, words

WORK = Domain(
    name="work",
    user=(
        UserFact(
            name="work.deadline",
            topic="the deadline of {project}",
            values=words(
                "the 3rd of March|the 12th of April|the 27th of May|the 8th of June|the 19th of September|the 30th of "
                "October"
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
                "there was a reshuffle: {value} [leads|took over] {project} now, {colleague} [had hoped for it|is "
                "upset].",
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
                "the glass box|room Fuji|the old canteen|room Kestrel|the third-floor nook|room Baltic|the library "
                "corner"
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
                "a pre-mortem|a decision log|the Eisenhower grid|silent brainstorming|a RACI chart|timeboxed "
                "demos|story mapping"
            ),
            prompt=("{project} is [chaotic|stuck], {colleague} and I [quarrel|drown], which method would you use?",),
            told=(
                "With {project} I would [start with|introduce] {value}, [one hour|a single page], before anything "
                "else.",
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
                "written updates instead of calls|meetings before lunch only|working from the train|feedback in "
                "private|one task at a time"
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
                "the safety training=the fire drill lesson|the trade show=the booth in the hall|the client dinner=the "
                "meal with customers|the team retreat=the days in the woods"
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
        "[Could you|Please] [rephrase|shorten|improve] [a status update|an email to a client|my agenda], [less "
        "stiff|friendlier]?",
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
        "A deadline for {project} should be on the wall, so that everybody knows when to be done and how long they "
        "have.",
        "Who leads {project} ought to be clear from the start: people must know to whom they answer and who approves "
        "plans.",
        "A weekly meeting needs a fixed room, or a guest will be late and not find where the regular talk takes place.",
        "Which method or technique brings order into {project} depends on the team, and no cure for chaos fits all.",
        "Work events add up, and many people lose count of how many times the company sent them somewhere, or what "
        "came first.",
        "A proposal for how to cooperate next quarter works best if each says which way of working they prefer.",
        "A project page with the deadline, the lead, the room and the method spares you from asking colleagues again.",
    ),
)
