"""The synthetic corpus's domain "money": its facts and its small talk."""

from tasks.corpora.synthetic.kinds import AssistantFact, Domain, EventSeries, Preference, UserFact, words

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
                "{partner} got a raise, so we [save|put aside] {value} monthly for {goal} [from now on|starting "
                "today].",
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
                "the envelope system|a no-spend week|the two-account split|rounding up purchases|a 48-hour "
                "rule|annual bill audits"
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
                "ethical funds only|no debt of any kind|cash over cards|low risk even at low returns|local banks with "
                "a counter"
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
                "the espresso machine=the coffee maker|the winter tyres=rubber for the cold|the noise-cancelling "
                "headphones=silence for the ears|the dishwasher=the plate cleaner"
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
        "[How do I|Can you help me to] [make a budget|read a payslip|compare insurers|track subscriptions], "
        "[simply|without apps]?",
        "[What is|Could you explain] [compound interest|an index fund|inflation|a credit score], [in plain words|with "
        "an example]?",
        "[Is it smarter|Should we] [to rent or buy|pay off loans first|keep an emergency fund], [given that|what do "
        "you think]?",
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
        "How much you save each month for {goal} is personal, and a regular contribution matters more than what you "
        "set aside.",
        "Which bank should hold an account for {goal} depends on fees: keep the funds at an institution you trust.",
        "When a friend still owes you a sum, remind them kindly how much is outstanding and let it be.",
        "A saving trick for {goal} is only a budgeting approach, and what you can finally afford depends on income.",
        "Big purchases come in waves, so note how many you make overall and which you buy first before you splash out.",
        "If you inherit or invest, stick to one principle with savings that both partners can live with.",
        "A money folder with the amounts, banks, debts and purchases answers most of what couples ask each other.",
    ),
)
