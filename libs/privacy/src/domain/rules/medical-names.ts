function setOf(lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.join(' ').split(' '));
}

/** How names of illnesses begin, in English, German, Spanish, French and Italian. */
export const STEMS = setOf([
  // Cancer
  'cancer carcinom krebs brustkrebs cáncer cancro tumour tumor leukaemi leukäemi leukämi leucemi leucémi lymphom',
  'linfom lymphome melanom myelom mielom sarcom sarkom gliom glioblastom metasta',
  // Metabolism, heart, lungs, other organs
  'diabet diabèt diabét diabete hypertension hypertonie bluthochdruck hipertensi ipertension hypothyr hyperthyr',
  'hipotiroid ipotiroid hashimoto obesity adipositas obesidad obésité obesità asthm emphysem tubercul tuberkul',
  'pneumonia lungenentzündung neumonía pneumonie polmonite mukoviszidose fibrosis fibrose fibrosi herzinfarkt',
  'herzinsuffizienz herzkrank infarct infarto infarctus arrhythmi vorhofflimmern schlaganfall aneurysm thrombos',
  'trombos cirrh zirrhose cirros hepatit renal niereninsuffizienz dialys crohn colitis colite coeliac ceeliac',
  'celiac celiak zöliakie cœliaque gastrit reizdarm endometrios endométrios psoria eczema neurodermitis arthrit',
  'artrit arthros artros rheuma reuma osteopor fibromyalg fibromialg anami anemi anémi anämie haemophil heemophil',
  'hémophil hämophil emofil hemofil',
  // Nerves
  'esclerosis sclérose sclerosi sclerosis parkinson alzheimer dementi demenz demencia démence demenza epilep',
  'épilep epiless migraine migräne migraña emicrania huntington amyotroph neuropath narcolep tourette meningit',
  'méningit',
  // Mind
  'depression depressiv depressión dépression dépressiv dépressif depresión depressione anxiety angststörung',
  'ansiedad anxiété bipolar bipolaire manisch schizo esquizo psychos psicosis psicosi autis asperger anorexi',
  'magersucht anoressi bulimi burnout alcoholism alkoholismus alkoholabhängig addiction panikattack insomnia',
  'schlafstörung insomnio insomnie insonnia dyslexia legasthenie',
  // Infections
  'syphilis sífilis sifilide gonorrh gonorrea chlamydi clamidia covid coronavirus malaria paludisme borreliose',
  'monkeypox mpox gürtelrose',
  // Other
  'alcoholic alcoholik alkoholiker alcóholic seropositi séropositi sieropositi morbus epatit hépatit rubella concussion ulcer',
  'úlcera ulcère tinnitus gallstones paralysis paralysed parkinson thyroid insuffizienz insuficiencia',
  'insuffisance insufficienza trastorno disturbo trisom glaucom glaukom cataract infertil unfruchtbar schlafapnoe',
  'apnea scoliosis skoliose bandscheibenvorfall allerg preeclampsia tubercol osteopor mononucle neuralg sciatica',
  'vertigo rosacea vitiligo lymphoedema lymphedema emboli prediabet prädiabet cholera typhoid diphther tetanus',
  'influenza chickenpox windpocken masern röteln varicela varicelle varicella rougeole morbillo sarampión',
  'paranoia dysmorphi diverticul hodgkin sarcoid leprosy lepra norovirus salmonell seizures hemorrhoid hämorrhoid',
  'paranoid lipedema lipödem ictericia lumbago arythmi aritmi epatopat cardiopat cardiomyop myocard',
  'morbus',
  // Heart and blood
  'acromegal akromegal angioedem atheroscl arterioscl arteriosk aterosc ateroscl tachycard tachykard taquicard tachicard bradycard',
  'arritm arythm pericard perikard endocard endokard thalass talasem talassem thrombocyt thrombozyt trombocit leukopen leucopen',
  'neutropen hyperlipid hyperchol hypoglyc hyperglyc hypoglyk hypoglyc ipoglic hipogluc varicose krampfader embolie embolia',
  'lungenembol herzrhythmus herzfehler herzkranz eisenmangelan blutarmut',
  // Lungs, stomach, kidneys, glands
  'pneumotho bronchit bronquit pleurit pleures appendicit apendicit blinddarment pancreatit pankreatit peritonit ascites jaundice',
  'nephrit nephrot nefrit nefros polycyst polyzyst poliquist policist hyperparathyr hypoparathyr hyperthyreo hypothyreo hipertir',
  'ipertir schilddrüsenunter schilddrüsenüber goiter goitre addison cushing heuschnupfen nierenstein gallenstein magengeschwür',
  'nierenversag leberzirrh fettleber blasenentz alergi intoleranz unverträglichk',
  // Joints, skin, eyes, ears
  'spondyl bechterew tendinit tendonit bursit scleroderm sklerod esclerod sjögren sjogren raynaud rhumatis reumatis polymyalg',
  'escolios scolios osteopen osteomyel fibroid myom hidraden seborrh urticari orticari nesselsucht dermatit keratocon uveit retinit',
  'retinopat retinopath astigmat menier ménièr meniere hörsturz hexenschuss leistenbruch kreuzbandriss karpaltunnel',
  // Nerves and mind
  'myasthen guillain dystroph distrof dystoni ataxi hydroceph encephal enzephal encefal trigemin dyspraxi dyscalcul dyskalk aphasi',
  'dysthym zwangsstör essstör persönlichkeitsst schizophr schizofr esquizofr alcooli alcolis toxicoman drogensucht drogenabh',
  'spielsucht alkoholsucht medikamentenabh adicción tabaquism querschnittsgel',
  // Infections and inherited ones
  'candidias candidos toxoplasm trichomon giardias listerios legionel legionnaire brucell osteomyel tollwut scharlach keuchhust',
  'coqueluche oreillons tosferina toxoplasmos haemochromat hemochromat hämochrom porphyr phenylket marfan klinefelter albinis kawasaki',
  'thalassäm sichelzell endokardit preeclamps präeklamps eclampsi eklamps',
]);

/** Names that are whole words, for longer ones begin alike. */
export const WORDS = setOf([
  'asma copd bpco epoc angina stroke ictus pcos lupus gout gicht polio ansia ptsd ptbs tept ocd adhd adhs tdah',
  'hiv vih aids sida herpes hpv lyme sepsis dengue ebola shingles measles mumps ibs ibd gerd hernia hernie hernien',
  'acne akne scabies rickets scurvy rabies zika keloid ekzem karies caries zona gotta paperas polyps fibroids myopia',
]);

/** Short names that are other words where they are not written in capitals. */
export const CAPITALS = setOf([
  'ALS MS IBS IBD UTI STD STI TBC CFS CRPS POTS PMDD BPD DVT CKD CAD CHF TIA TBI EDS SLE RSV AMD',
]);

/** Names of several words, by their beginnings. */
export const PHRASES: readonly string[] = [
  'cystic fibrosis|heart disease|heart failure|heart attack|heart condition|atrial fibrillation|kidney disease',
  'kidney failure|kidney stones|irritable bowel|sickle cell|multiple sclerosis|multipler sklerose|multiple sklerose',
  'sclérose en plaques|lou gehrig|cerebral palsy|borderline personality|borderline pers|borderline-pers',
  'borderline-stör|borderline-syndrom|burn-out|panic attack|panic disorder|covid-19|high blood pressure',
  'high cholesterol|morbo di|scarlet fever|whooping cough|acid reflux|muscular dystrophy|spina bifida',
  "trouble bipolaire|down syndrome|downs syndrome|down's syndrome|down’s syndrome|down-syndrom|macular degeneration",
  'eating disorder|sleep disorder|mood disorder|personality disorder|obsessive compulsive|obsessive-compulsive',
  'post-traumatic stress|post traumatic stress|posttraumatic stress|long covid|blood clot|heart murmur|brain tumo',
  'substance abuse|drug addiction|nervous breakdown|kidney stone',
  'fatty liver|frozen shoulder|lactose intol|plantar fasc|restless leg|strep throat|torn meniscus|motor neuron|lichen planus',
  "graves' disease|graves disease|graves’ disease|yellow fever|kidney infection|ovarian cyst|pulmonary embol|von willebrand",
  'ectopic pregnan|erectile dys|carpal tunnel|slipped disc|hay fever|rheumatic fever|celiac sprue|panic disor|social anxiety',
  'estrés postraum|cálculos renales|colesterol alto|intolerancia a la|insuficiencia renal|insuficiencia card|calculs rénaux',
  'trouble anxieu|troubles anxieu|trouble obsess|calcoli renali|colesterolo alto|insufficienza ren|insufficienza card',
  'sleep apno|sleep apne|herniated disc|chronic fatigue|chronic pain|chronic illness|maladie cœliaque',
].flatMap((line) => line.split('|'));

/** Words that stand for an illness, and say it only where an illness is spoken of anyway. */
export const GENERAL = setOf([
  'syndrome syndromes síndrome sindrome disease disorder disorders illness infection enfermedad trastorno maladie',
  'trouble malattia disturbo fracture fractures fraktur fractura frattura rupture sprain tear',
]);

/** How names of illnesses end in German. */
export const COMPOUND_ENDINGS = [
  'krankheit|krankheiten|erkrankung|erkrankungen|störung|störungen|entzündung|syndrom|insuffizienz|infektion|krebs',
  'tumor|leiden|karzinom|sarkom|infarkt|embolie|thrombose|fibrose|sklerose|arthrose|zirrhose|geschwür|versagen|lähmung',
  'vergiftung|blutung|allergie|apnoe|hernie|anämie|demenz',
].flatMap((line) => line.split('|'));

/** How they end in the language of medicine, after four letters or more. */
export const TECHNICAL_ENDINGS = [
  'itis|osis|aemia|emia|pathy|pathie|algia|algie|plegia|plegie|phrenia|phobia|phobie|oma|itide|patía|patia',
].flatMap((line) => line.split('|'));

/** Beginnings of words that end so and are no illness. */
export const NO_ILLNESS = [
  'diagnos|prognos|hypnos|symbios|metamorphos|diplom|nostalg|telepath|homöopath|homeopath|homoeopath|naturopath',
  'osteopath',
].flatMap((line) => line.split('|'));

/** Words before the name of an illness that only describe it or stand there by grammar. */
export const DESCRIBING = setOf([
  'a an the my very quite mild severe chronic acute early late rare advanced terminal stage type phase onset clinical',
  'major minor generalized generalised seasonal postnatal postpartum post natal partum breast lung prostate skin brain',
  'colon ovarian bone blood liver kidney stomach pancreatic cervical bowel thyroid throat testicular bladder',
  'rheumatoid juvenile long high functioning allergic ischemic congestive inflammatory iv iii ii i form case bout of',
  'chronische chronischer chronisches chronischen chronischem akute akuter akutes akuten schwere schwerer schweres',
  'schweren leichte leichter leichtes leichten eine einen einem einer eines ein der die das dem den typ seit jahren',
  'maladie enfermedad malattia síndrome sindrome syndrome trastorno trouble disturbo infección infezione infection',
  'un una uno el la le les los l il lo gli une du de di del dell della d von grave crónica chronique cronica légère',
  'fuerte also still now always just recently been had auch leider schon noch también aussi toujours anche desde hace',
]);

/** Words after which an illness is another's, a subject or denied. */
export const DETACHING = setOf([
  'no not any about with for like of and or to heard read written seen studied cured beaten never such what every this',
  'that these those same anti friend friends question questions book books kein keine keinen nicht über sobre sur sans sin',
  'senza non pas ningún ninguna amigo nothing something studying researching teaching treating discussing explaining',
  'learning preventing curing funding modelling modeling predicting classifying detecting simulating understanding',
  'investigating reviewing presenting covering reading writing',
]);
