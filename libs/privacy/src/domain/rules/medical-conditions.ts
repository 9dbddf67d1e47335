/** Names of illnesses in English, German, Spanish, French and Italian, mostly as stems. Alternatives of expressions. */
const STEMS = [
  // Cancer
  'cancer|carcinom|krebs|brustkrebs|cáncer|cancro|tumou?r|leuk[aä]emi|leukämi|leucemi|leucémi|lymphom|linfom',
  'lymphome|melanom|myelom|mielom|sarcom|sarkom|gliom|glioblastom|metasta',
  // Metabolism, heart, lungs, other organs
  'diab[eèé]t|diabete|hypertension|hypertonie|bluthochdruck|hipertensi|ipertension|hypothyr|hyperthyr|hipotiroid',
  'ipotiroid|hashimoto|obesity|adipositas|obesidad|obésité|obesità|asthm|asma(?!\\p{L})|copd(?!\\p{L})|bpco(?!\\p{L})|epoc(?!\\p{L})|emphysem|tubercul',
  'tuberkul|pneumonia|lungenentzündung|neumonía|pneumonie|polmonite|cystic fibrosis|mukoviszidose|fibrosis|fibrose',
  'fibrosi|heart (?:disease|failure|attack|condition)|herzinfarkt|herzinsuffizienz|herzkrank|infarct|infarto',
  'infarctus|angina(?!\\p{L})|arrhythmi|atrial fibrillation|vorhofflimmern|stroke(?!\\p{L})|schlaganfall|ictus(?!\\p{L})|aneurysm|thrombos',
  'trombos|cirrh|zirrhose|cirros|hepatit|kidney (?:disease|failure|stones)|renal|niereninsuffizienz|dialys|crohn',
  'colitis|colite|c[oe]eliac|celia[ck]|zöliakie|cœliaque|maladie cœliaque|gastrit|reizdarm|irritable bowel',
  'endometrios|endométrios|pcos(?!\\p{L})|psoria|eczema|neurodermitis|arthrit|artrit|arthros|artros|rheuma|reuma|lupus(?!\\p{L})|gout(?!\\p{L})',
  'gicht(?!\\p{L})|osteopor|fibromyalg|fibromialg|an[ae]mi|anémi|anämie|h[ae]emophil|hémophil|hämophil|emofil|hemofil',
  'sickle cell',
  // Nerves
  'multiple sclerosis|multipler? sklerose|esclerosis|sclérose en plaques|sclérose|sclerosi|sclerosis|parkinson',
  'alzheimer|dementi|demenz|demencia|démence|demenza|epilep|épilep|epiless|migraine|migräne|migraña|emicrania',
  'huntington|amyotroph|lou gehrig|neuropath|cerebral palsy|narcolep|tourette|polio(?!\\p{L})|meningit|méningit',
  // Mind
  'depressi(?:on|v|ón)|dépressi(?:on|v|f)|depresión|depressione|anxiety|angststörung|ansiedad|anxiété|ansia(?!\\p{L})|bipolar|bipolaire|manisch',
  'schizo|esquizo|psychos|psicosis|psicosi|borderline[ -](?:personality|pers|stör|syndrom)|ptsd(?!\\p{L})|ptbs(?!\\p{L})|tept(?!\\p{L})|ocd(?!\\p{L})|adhd(?!\\p{L})|adhs(?!\\p{L})|tdah(?!\\p{L})|autis|asperger|anorexi',
  'magersucht|anoressi|bulimi|burn-?out|alcoholism|alkoholismus|alkoholabhängig|addiction',
  'panic (?:attacks?|disorder)|panikattack|insomnia|schlafstörung|insomnio|insomnie|insonnia|dyslexia|legasthenie',
  // Infections
  'hiv(?!\\p{L})|vih(?!\\p{L})|aids(?!\\p{L})|sida(?!\\p{L})|syphilis|sífilis|sifilide|gonorrh|gonorrea|chlamydi|clamidia|herpes(?!\\p{L})|hpv(?!\\p{L})|covid(?:-19)?',
  'coronavirus|malaria|paludisme|borreliose|lyme(?!\\p{L})|sepsis(?!\\p{L})|dengue(?!\\p{L})|ebola(?!\\p{L})|monkeypox|mpox|shingles(?!\\p{L})|gürtelrose|measles(?!\\p{L})',
  // Other
  'high (?:blood pressure|cholesterol)|alcoholi[ck]|alkoholiker|alcóholic|s[eé]ropositi|morbus \\p{L}|morbo di',
  'epatit|hépatit|mumps(?!\\p{L})|rubella|scarlet fever|whooping cough|concussion|ulcer|úlcera|ulcère|ibs(?!\\p{L})',
  'ibd(?!\\p{L})|gerd(?!\\p{L})|acid reflux|tinnitus|kidney stones|gallstones|muscular dystrophy|spina bifida',
  'paralys(?:is|ed)|parkinson|thyroid|(?<!\\d ?)ms(?=[.,;!?]|$| (?:and|since|for|diagnos))|insuffizienz|insuficiencia|insuffisance',
  'insufficienza|trastorno|trouble bipolaire|disturbo|down.?s? syndrome|down-syndrom|trisom|glaucom|glaukom',
  'cataract|macular degeneration|infertil|unfruchtbar|sleep apn[oe]|schlafapnoe|apnea|scoliosis|skoliose',
  'herniated disc|bandscheibenvorfall|hernia(?!\\p{L})|chronic (?:fatigue|pain|illness)|allerg|preeclampsia',
] as const;

/** How names of illnesses end, and words that stand for one. */
const ENDINGS = [
  '(?:krankheit|erkrankung|störung|entzündung|syndrom|insuffizienz|infektion)(?:en)?|syndromes?|síndrome|sindrome',
  'disease|disorders?|illness|infection|enfermedad|trastorno|maladie|trouble|malattia|disturbo|phobia|phobie',
] as const;
const TECHNICAL_ENDINGS =
  '(?!diagnos|prognos|hypnos|symbios|metamorphos|diploma|nostalg|telepath|hom[oö]{1,2}path|homeopath|naturopath|osteopath)\\p{L}{4,24}(?:itis|osis|aemia|emia|pathy|pathie|algia|algie|plegia|plegie|phrenia|oma|itide|patía|patia)';

const FIRST = '(?<![\\p{L}\\p{N}])';
/** An illness where a text begins with it, after words that only describe it. */
const DESCRIBED =
  "(?:(?:an? |the |my |(?:very |quite )?(?:mild|severe|chronic|acute|early|late|rare|advanced|terminal|stage|type|phase|onset|clinical|major|minor|generali[sz]ed|seasonal|post-?natal|post-?partum|breast|lung|prostate|skin|brain|colon|ovarian|bone|blood|liver|kidney|stomach|pancreatic|cervical|bowel|thyroid|throat|testicular|bladder|rheumatoid|juvenile|long|high-functioning|allergic|ischemic|congestive|inflammatory|[0-9]+|iv|iii|ii|i|form of|case of|bout of|chronische[nrms]?|akute[nrms]?|schwere[nrms]?|leichte[nrms]?|eine[nrms]?|der|die|das|dem|den|typ|una?|el|la|le|les|los|l|il|lo|gli|i|un|une|du|de la|de|di|del|dell|della|d|von|grave|crónica|chronique|cronica|légère|fuerte|malattia di|maladie de|maladie d|enfermedad de|seit \\p{L}{3,8}|also|still|now|always|just|recently|been|had|auch|leider|schon|noch|también|aussi|toujours|anche|morbo di|morbus)[ -]|(?:l|d|dell|un)['’])){0,6}";

export const ILLNESS = new RegExp(
  `${FIRST}(?:(?:${STEMS.join('|')})[\\p{L}\\p{M}]{0,20}|[\\p{L}]{0,24}(?:${ENDINGS.join('|')})|[\\p{L}]{3,14}(?:krebs|tumor|leiden)|${TECHNICAL_ENDINGS})(?![\\p{L}])`,
  'giu',
);

/** One word more that describes, and does not take the illness away. */
const ANY_WORD =
  '(?:(?!(?:no|not|any|about|with|for|like|of|and|or|to|heard|read|written|seen|studied|cured|beaten|never|such|what|every|this|that|these|those|anti|friends?|questions?|books?|keine?|nicht|über|sobre|sur|sans|sin|senza|non|pas|ning[uú]n|un amigo)[ -])[\\p{L}]{3,14} )?';

const NAMED_FIRST = new RegExp(
  `^[ '’]?${DESCRIBED}${ANY_WORD}(?:${STEMS.join('|')}|\\p{L}{0,24}(?:krankheit|erkrankung|störung|syndrom|krebs)|${TECHNICAL_ENDINGS}(?!\\p{L}))`,
  'iu',
);

/** Whether a text begins with an illness of the list, however described. */
export function beginsWithIllness(text: string): boolean {
  return NAMED_FIRST.test(text);
}

/** Whether a text speaks of an illness. */
export function speaksOfIllness(text: string): boolean {
  return text.search(ILLNESS) >= 0;
}
