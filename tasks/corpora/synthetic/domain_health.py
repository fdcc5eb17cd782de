"""The synthetic corpus's domain "health": its facts and its small talk."""

from tasks.corpora.synthetic.kinds import AssistantFact, Domain, EventSeries, Preference, UserFact, words

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
                "the {ailment} tablets were [raised|adjusted] to {value}, {partner} [wrote it down|noticed the "
                "change].",
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
                "red wine|aged cheese|air conditioning|wool blankets|late screens|skipped lunches|perfumed soap|long "
                "drives"
            ),
            said=(
                "{friend} and I worked out that my {ailment} [got worse|started] because of {value}, [of all "
                "things|how annoying].",
                "[it turns out that|apparently] {value} can set off my {ailment}, {friend} [spotted it|kept the "
                "diary].",
            ),
            changed=(
                "we were wrong about the {ailment}: {friend} and I [are sure|found out] that the culprit is {value}.",
                "[tests came back|surprise], the thing behind my {ailment} is {value}, {friend} was amazed.",
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
                "apart from tablets, [what eases|is there anything for] {ailment}? {sibling} [tried everything|swears "
                "by herbs].",
            ),
            told=(
                "[Besides medicine|As an extra], {value} [may ease|has helped people with] {ailment}, [ask your "
                "doctor first|give it two weeks].",
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
                "appointments before eight in the morning|women doctors|video calls rather than waiting rooms|as few "
                "pills as possible"
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
                "the eye test=the new glasses|the blood test=the needle|the hearing check=the beeps in the booth|the "
                "skin scan=the mole check"
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
        "[Could you explain|What does] [a cholesterol value|blood pressure|an allergy test] [mean|tell me] [in plain "
        "words|simply]?",
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
        "[Breathe out slowly|Count to six] [when it builds up|three times], it [calms the pulse|sounds silly and "
        "works].",
    ),
    chronic=(
        "Which doctor treats {ailment} best depends on the case, so consult a specialist and ask whom others know.",
        "The dose of any tablets against {ailment} is up to your doctor: never change how much medicine you take "
        "alone.",
        "Finding out what sets off {ailment} takes time, and many people blame the wrong trigger before they avoid "
        "the right one.",
        "A home remedy may ease {ailment} apart from tablets, but a gentle measure is no substitute for care.",
        "Medical visits go better when somebody comes along, and how many you had in all is worth writing down.",
        "When you look for a dentist, a clinic or a check-up, say which kind of appointment you prefer.",
        "A health folder with each doctor, dose, trigger and visit answers most questions that people have later.",
    ),
)
