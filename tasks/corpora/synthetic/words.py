"""Word lists of the synthetic corpus that belong to no single domain.

``name=alias`` gives a periphrase that questions may use.
"""

from tasks.corpora.synthetic.kinds import Frames, words

NAMES: Frames = words(
    "Odile|Marcus|Ines|Tobias|Priya|Hamish|Leocadia|Bram|Yusuf|Saoirse|Anneke|Dmitri|Camila|Felix|Noor|Gareth"
    "|Imogen|Kwame|Lucia|Piotr|Rosalind|Soren|Tamsin|Ulrich|Vera|Wendell|Xiomara|Yvette|Zoltan|Abigail|Basil"
    "|Cosima|Declan|Esme|Farid|Greta|Hugo|Ilse|Jerome|Keiko|Lorcan|Mireille|Nadia|Oscar|Petra|Quentin|Rafael"
    "|Sunniva|Theo|Ursula|Viktor|Willa|Ximena|Yolanda|Zara|Alasdair|Beatriz|Conrad|Dagny|Emre|Fiona|Gideon|Hester"
    "|Ivan|Jocasta|Kasper|Leila|Matteo|Nerys|Olaf|Paloma|Rania|Stellan|Tindra|Umberto|Valeria|Winston|Yannick"
    "|Zelda|Amara|Benedikt|Clementine|Dario|Eleni|Florian|Gwendolyn|Harriet|Isidro|Jolene|Kenji|Ludmila|Magnus"
    "|Nuria|Ottilie|Percival|Roxana|Sigrid|Tarek|Vesna|Wanda|Anselm|Brigid|Caspian|Delphine|Enzo|Freya|Gaspard"
    "|Honora|Ignacio|Juno|Khalid|Linnea|Malachi|Noemi|Orson|Philippa|Rufus|Salma|Thaddeus|Verity|Xavier|Ayumi"
    "|Bogdan|Calla|Desmond|Evander|Fatima"
)
PET_NAMES: Frames = words(
    "Biscuit|Pickles|Mochi|Waffles|Ziggy|Tofu|Nacho|Pepper|Gizmo|Clover|Bandit|Maple|Sprout|Truffle|Dumpling"
    "|Cosmo|Fig|Hazel|Noodle|Peanut|Rolo|Saffron|Thimble|Widget|Bramble|Crumpet|Domino|Ember|Fudge|Juniper"
)
PET_KINDS: Frames = words("greyhound|tabby cat|beagle|parrot|rabbit|spaniel|Siamese cat|terrier|ferret|collie|poodle")
KIN: Frames = words("cousin|twin|godparent|youngest sibling|eldest sibling|second cousin|former in-law|old flatmate")
JOBS: Frames = words(
    "a dental hygienist|a structural engineer|a primary school teacher|a paralegal|a data analyst|a pastry chef"
    "|a physiotherapist|an event planner|a civil servant|a copy editor|a warehouse manager|a set designer|a surveyor"
)
HOMES: Frames = words(
    "Leeds|Tucson|Halifax|Galway|Portland|Bristol|Adelaide|Tampere|Ghent|Savannah|Dunedin|Winnipeg|Cork|Boise|Aarhus"
    "|Perth|Norwich|Duluth|Malmo|Trieste|Asheville|Ottawa|Cardiff|Graz"
)

WORDS: dict[str, Frames] = {
    "city": words(
        "Lisbon=the Portuguese capital|Kyoto=the old imperial city of Japan|Marrakesh=that Moroccan city"
        "|Reykjavik=the Icelandic capital|Oaxaca=the south of Mexico|Edinburgh=the Scottish capital"
        "|Hanoi=the Vietnamese capital|Cusco=the Andes|Bologna=the Italian city with the porticoes"
        "|Tallinn=the Estonian capital|Cape Town=South Africa|Montreal=Quebec|Dubrovnik=the Croatian coast"
        "|Buenos Aires=the Argentine capital|Jaipur=Rajasthan|Bergen=the Norwegian fjords|Athens=the Greek capital"
        "|Seville=Andalusia|Cartagena=the Colombian coast|Taipei=Taiwan|Vienna=the Austrian capital|Zanzibar=Tanzania"
        "|Quito=Ecuador|Krakow=southern Poland|Valletta=Malta|Queenstown=New Zealand|Nairobi=Kenya|Ljubljana=Slovenia"
    ),
    "month": words("January|February|March|April|May|June|July|August|September|October|November|December"),
    "day": words("Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"),
    "dish": words(
        "mushroom risotto|beef rendang|pumpkin ravioli|lamb tagine|chicken mole|fish pie|pad kra pao|borscht|paella"
        "|shakshuka|lentil dal|duck confit|bibimbap|moussaka|clam chowder|jollof rice|okonomiyaki|cassoulet"
    ),
    "instrument": words(
        "cello=my string instrument|clarinet=my woodwind|ukulele=my little four-string|accordion=my squeezebox"
        "|trombone=my brass instrument|mandolin=my bluegrass instrument|upright piano=my keys|banjo=my folk instrument"
        "|saxophone=my reed instrument|bass guitar=my low-end instrument|violin=my bowed instrument"
    ),
    "plant": words(
        "tomatoes=my red fruit vines|dahlias=my autumn blooms|basil=my pesto herb|blueberries=my berry bushes"
        "|courgettes=my summer squash|sweet peas=my scented climbers|roses=my thorny shrubs|chillies=my hot pods"
        "|garlic=my cloves|strawberries=my June fruit|lavender=my purple hedge|figs=my Mediterranean tree"
    ),
    "room": words(
        "kitchen=the place where I cook|bathroom=where I shower|hallway=the entrance|bedroom=where I sleep"
        "|study=my home office|attic=the space under the roof|utility room=the laundry corner|nursery=the baby's room"
    ),
    "sport": words(
        "rowing=the sport with the oars|bouldering=climbing without ropes|judo=my martial art|badminton=my racket sport"
        "|swimming=doing laps|cycling=riding my bike|fencing=the sport with the foils|netball=my team sport"
    ),
    "ailment": words(
        "migraines=my headaches|eczema=my itchy skin|hay fever=my pollen trouble|lower back pain=my aching spine"
        "|insomnia=my sleepless nights|tendonitis=my sore tendon|acid reflux=my heartburn|anaemia=my low iron"
    ),
    "craft": words(
        "pottery=working with clay|quilting=sewing patchwork|woodturning=working at the lathe|bookbinding=making books"
        "|calligraphy=fancy lettering|crochet=hooking yarn|stained glass=leaded panes|linocut=carving prints"
    ),
    "project": words(
        "the billing migration=moving the invoices|the onboarding revamp=the newcomer programme|the audit=the "
        "inspection"
        "|the spring catalogue=the seasonal brochure|the warehouse move=relocating the stock|the charity gala=the "
        "fundraiser"
        "|the website relaunch=the new homepage|the staff survey=the employee questionnaire|the tender=the public bid"
    ),
    "goal": words(
        "a camper van=a home on wheels|a house deposit=buying property|a new roof=replacing the shingles"
        "|a sabbatical=time off work|a wedding=getting married|a piano=a keyboard instrument|a kiln=a clay oven"
        "|a cargo bike=a bicycle with a box|solar panels=power from the sun|a masters degree=going back to university"
    ),
    "genre": words(
        "Nordic crime=Scandinavian detectives|space opera=galactic adventures|gothic horror=haunted mansions"
        "|historical romance=love in period dress|magical realism=dreamlike fiction|nature writing=books about "
        "landscapes"
        "|political biography=lives of statesmen|cosy mysteries=gentle whodunnits|graphic novels=comics"
    ),
}

# --- small talk of every domain ---------------------------------------------------------------------------------------

BRIDGES: Frames = (
    "[By the way|Oh, by the way|Incidentally|This is unrelated|One more thing|On a different note|Speaking of which], ",
    "[Before I forget|While I remember|Since we are chatting|Funny you should say that|Just so you know], ",
    "",
    "[Anyway|Also|Side note|Small update|For context|Some background|Well], ",
    "",
)
ANECDOTES: Frames = (
    "{friend} [dropped by|called|texted me|came round] [last night|on {day}|after lunch] and we [talked for "
    "ages|laughed a lot].",
    "[It has been|This was] [a long week|a hectic month|one of those days] in {home}, [so bear with me|so I may "
    "ramble].",
    "My {kin} {sibling} [thinks|keeps saying|is convinced] I [overthink|overcomplicate|rush] [this|everything|such "
    "things].",
    "{partner} is [away|travelling|working late] [until {day}|this week], so I have [some time|the evening to myself].",
    "[The weather has been|It is] [awful|glorious|strange] [lately|here|today], [and my mood follows it|not that it "
    "matters].",
    "{colleague} from work [asked me the same|had a similar problem|swears by a different approach].",
    "[I read|I saw|Somebody posted] [an article|a long thread|a video] [about that|on this] and [got curious|felt "
    "lost].",
    "[Being|As] {job}, I [rarely|hardly ever|only sometimes] [have time|find the energy] [for this|during the week].",
    "{neighbor} next door [offered to help|gave me odd advice|laughed at me], [which was kind|as usual|so here we "
    "are].",
    "{kid} [had a cold|was off school|has been asking questions] [all week|again|since {day}].",
)
ACKS: Frames = (
    "[That sounds lovely|Good to hear|Thanks for the details|I see|Makes sense|Understood|Glad that helped|Nice]!",
    "[Great|Fair|Good|Interesting] [question|point|thought], [and a common one|let me think|and worth a closer look].",
    "[Happy to help|Of course|Absolutely|Certainly|Sure] - [here is one idea|let us take it step by step|a few "
    "thoughts].",
    "[I understand|I can imagine] [why that matters|how that feels|what you mean], [and it is fixable|so let us see].",
    "[Thank you for telling me|Noted|Got it|Sounds like progress].",
    "",
)
CLOSERS: Frames = (
    "[Would you like|Shall I add|Do you want] [an example|a short checklist|more detail|a plan for the week]?",
    "[Let me know|Tell me] [how it goes|what you decide|if that works|whether this fits].",
    "[Small steps are fine|There is no rush|Take your time], [really|and enjoy it|one thing at a time].",
    "",
    "",
)
THANKS: Frames = (
    "[Thanks|Thank you|Perfect|Brilliant|Lovely|Great], [that helps|I will try that|that is clear|exactly what I "
    "needed].",
    "[Hmm|Okay|Right|Ah|Fair enough], [I had not considered that|that might work|I am not fully sure|let me think].",
    "[Good idea|Noted|That makes sense|I like that].",
    "",
)
ECHOES: Frames = (
    "[For the longest time|For ages|Until recently] {topic} was {old}, [and I was happy with that|and I never "
    "questioned it].",
    "[I still tell people|I keep telling everyone] that {topic} is {old}, [out of habit|as if nothing had happened].",
    "[You may remember|I think I told you] that {topic} [used to be|was] {old}.",
)
CHRONIC_LEADS: Frames = (
    "[As a rule of thumb|In general|Broadly speaking|To keep it simple|A general remark], for you and {friend}: ",
    "[Whatever {partner} says|However you and {partner} decide|Just between you, {partner} and me]: ",
    "[Many people ask this|It comes up a lot|This is a classic], and {colleague} may have asked too. ",
    "[Here is what usually helps|The usual advice], [for {neighbor} as well|whether for you or for {sibling}]: ",
    "[Let us not overthink it|It depends, of course|There is no single answer], [and {friend} knows that|even for "
    "{kid}]. ",
)
