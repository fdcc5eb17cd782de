"""The synthetic corpus's domain "cooking": its facts and its small talk."""

from tasks.corpora.synthetic.kinds import AssistantFact, Domain, EventSeries, Preference, UserFact, words

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
                "{friend} could not keep the old slot, so supper club [has moved|moves] to {value} evenings from now "
                "on.",
                "we [shifted|pushed] the supper club with {friend} to {value}, [it suits everyone better|finally].",
            ),
            near=("On which weekday do {friend} and I host supper club?",),
            far=(
                "When in the week do I feed a crowd together with {friend}?",
                "[If I want to invite someone|Suppose a guest wants to come] to the meal {friend} and I put on, which "
                "day is it?",
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
                "the {dish} kept burning, so {sibling} and I turned the oven to {value} and [that is my setting "
                "now|it is perfect].",
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
                "my {dish} tastes flat, [what would you add|which spice is missing]? {friend} is [coming over|very "
                "picky].",
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
                "I [cannot stand|really dislike] {value}, [even a trace of it ruins a plate|{partner} teases me for "
                "it].",
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
                "I [just got back from|spent today at|finished] {value} with {colleague}, and [my feet hurt|it was "
                "great fun].",
                "{colleague} and I did {value} this [morning|afternoon], [worth every penny|I learned a lot].",
            ),
            near=("How many cooking classes did I take with {colleague} in total?",),
            far=("Counting everything, how often did {colleague} and I go and learn something about food?",),
            first=("Which came first, {a} or {b}?", "Did {colleague} and I do {a} before or after {b}?"),
            days=("How many days passed between {a} and {b}, both with {colleague}?",),
        ),
    ),
    asks=(
        "[Can you help me|I want] to [plan|simplify|rethink] [our weeknight dinners|my batch cooking|a vegetarian "
        "week]?",
        "[How do I|What is the best way to] [keep bread from going stale|use up leftover rice|get crispy skin on "
        "fish]?",
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
        "Cook [double the grains|extra beans] and freeze [half|them flat], [future you will be grateful|it saves an "
        "evening].",
        "Leftovers keep [three|four] days [in a shallow box|well covered], and {dish} [freezes well|tastes better the "
        "day after].",
        "[Toast|Bloom] whole spices [in dry heat|in oil] until [fragrant|they crackle].",
    ),
    chronic=(
        "Naming a sourdough starter is a fun tradition, and the name [matters less|is secondary] than feeding the "
        "wild yeast culture.",
        "The right oven temperature for {dish} depends on your recipe, the tin, and how hot your kitchen runs.",
        "Hosting a supper club with a friend works on any weekday, as long as guests know the day and the meal in "
        "advance.",
        "Which spice or secret ingredient suits {dish} is a matter of taste, so add character slowly and keep notes.",
        "Cooking classes are a good way to learn about food together, and many people take several courses in a year.",
        "When you plan a menu or suggest a recipe, ask everyone which flavours they dislike before you cook.",
        "A wine pairing is only a suggestion: what bottle you drink with the meal is up to you and your visitors.",
        "If you cannot recall which recipe, name, day or temperature you used, a kitchen notebook is the simplest "
        "answer.",
    ),
)
