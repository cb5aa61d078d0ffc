"""How often letters above 127 occur: what text in a language, and so in an encoding, is made of.

Letters of a language stand in four groups, from the commonest to the rare ones, with a bar between them. The groups
were counted over names of countries, languages, currencies, months and days in each language (Unicode CLDR), in which
letters occur about as often as in the words of tables.
"""

from __future__ import annotations

from dataclasses import dataclass

SHARES = (0.14, 0.05, 0.013, 0.003)
"""About what share of a language's letters above 127 one letter of each group makes up: Latin with marks."""
ALPHABET_SHARES = (0.085, 0.04, 0.015, 0.004)
"""The same for alphabets of which every letter is above 127."""

LATIN: dict[str, str] = {
    "en": "é|áíóöüñ|èçãøåäëïôêúâî|àæœßšžćčłńış",
    "fr": "é|èàêç|ôîïëâœ|ûùüæñöáí",
    "de": "üäö|ß|é|èáóçñ",
    "es": "óíáé|ñ|ú|üçö",
    "pt": "ãáçé|íóêú|âõôà|üñ",
    "it": "àèé|òùì|íáü|óçñî",
    "nl": "ëé|ïö|üèç|óáêô",
    "sv": "äåö|é|üøáè|óíñç",
    "da": "øåæ|é|öäü|áóíçð",
    "fi": "äö|å|éšž|üáóíç",
    "is": "íáóð|úéþ|æöý|",
    "ca": "àèéóí|òçú|ïü|ñ",
    "pl": "ńłżó|ęśą|ćź|éöü",
    "cs": "íáéý|čšžěř|úůóň|ťďü",
    "sk": "áíčý|šžéúľó|ťňä|ôďŕĺü",
    "hu": "áéóö|íüőú|ű|äâè",
    "ro": "ăţșşț|âî|áé|öüó",
    "sl": "čšž|ć|đéü|öáó",
    "hr": "čćž|šđ|é|öüá",
    "tr": "ıüş|çöğ\u0307|âîé|û",
    "lt": "ėųšž|čūįą|ę|",
    "lv": "āīēšņ|žūļķčģ|ō|ŗ",
    "et": "äõü|öšž|é|",
    "vi": "\u0301\u0300\u0323đ|\u0309\u0303ôêươâă|áàéíóúãõ|ýèìòùưü",
}
ALPHABETS: dict[str, str] = {
    "ru": "аионе|кснрлтвду|мгбяпзьыфйхжчш|цюэщёъ",
    "uk": "анои|нкісребльутмдв|гйпячхзцїшєж|фщюґ",
    "bg": "аиоке|нсрлтвудм|бгйпязфжчшцхъ|щьюѝ",
    "sr": "аиоке|нсртлувјмд|бгпзчфшхцжњћ|џљђ",
    "be": "анаі|нксрялтеыдумо|вгбпэйзўцьфчх|шжёю",
    "el": "αιοε|νκρτλμσςγυίπς|βόδήηζύθφέάχώω|ϊξψΐϋΰ",
    "he": "יורא|נהלקתמבסדטפ|גזשצםחעכן|ךףץ\u05b0\u05b4\u05b7\u05b8\u05b6",
    "ar": "ايلون|رةبمكستدعف|جغزأشقهحصىط|ّإخئآثذءضؤظ،ـ",
    "fa": "یيانور|لمتسکكبده|گزجپفآشقخحع|چئغژصطذضظثء،",
    "th": "าเรน่้|อกีลิมั์ยงวทดบสป|ตคหไแูโขุะชื็จพถณ|ำษธภฐใฟศซฤญฝฉ๊ผฏฑฎฌฮๆฯึ",
}
HANGUL = frozenset(
    "이다는을를의가에하고지사어기서나대한국시도인정부산구성원자리수로제일해아은전라마보주상경장동과들그면만안여스있것김박최영민"
    "오신조유임울천광남북강울세종충청호선진현중문명분관용개단공학물품번가격날짜름소년월요금강윤송황권홍백허심노계급출생록등본"
    "미우연재준희숙순옥빈석철운규태혁훈찬건승은혜별합구처코드종류상태길동읍면군층텔레비트프크드그르니타카파바키티페메러루디차회"
    "업체점매입출력값총액율할량표점수판자배송환적립쇼핑몰업무팀부장과직책담당날씨온습토양식음료커피빵과자위치번지방법결과비고"
)
HAN_SIMPLE = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成"
    "方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使"
    "情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产新己制身果加西斯月话合回特代内信表化老给"
    "世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太"
    "量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基书非则听白界达光放强即像难且权思王象完设"
    "式色路记南品住告类求据程北边死张该交规万取拉格望术领共确传师观清今切院让识候带导争运编号姓称价类型李刘陈杨黄赵周吴徐孙朱"
    "胡郭何林罗郑梁谢宋唐冯韩曹曾彭萧蔡潘田董袁余叶蒋杜苏魏吕丁沈任姚卢钟姜崔谭陆范汪廖石贾付邹熊白毛邱秦江史顾侯孟龙京州省"
    "县镇乡村街深圳杭武汉津重庆湖川浙苏徽福建广云贵甘青宁夏内蒙古藏疆港澳台备注状态单位订客户电址邮箱仓库存销售额商型颜伟芳"
    "娜秀敏静丽强磊军洋勇艳杰娟涛超明霞平刚桂英华玉兰红春梅阳雪辉健婷鹏飞宇欣苹香蕉橙茶米面油盐糖奶"
)
HAN_FULL = frozenset(
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成"
    "方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使"
    "情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產新己制身果加西斯月話合回特代內信表化老給"
    "世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太"
    "量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社便空決治展馬科司五基書非則聽白界達光放強即像難且權思王象完設"
    "式色路記南品住告類求據程北邊死張該交規萬取拉格望術領共確傳師觀清今切院讓識候帶導爭運編號姓稱價李劉陳楊黃趙周吳徐孫朱胡郭"
    "林羅鄭梁謝宋唐馮韓曹曾彭蕭蔡潘田董袁余葉蔣杜蘇魏呂丁沈姚盧鍾姜崔譚陸范汪廖石賈鄒熊毛邱秦江史顧侯孟龍臺台灣北桃園竹雄縣"
    "鄉鎮村里街巷弄樓室香港九龍新界澳門備註狀態單訂客戶話郵存銷售額商型偉芳娜秀敏靜麗怡君雅婷淑惠志豪俊宏宗翰佩珊慧玲琪欣茶"
    "米麵油鹽糖奶蘋蕉橙鈔票券股份限司企業銀醫藥"
)
HAN_JAPANESE = frozenset(
    "日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業内相方四定今回新場金員九入選立開"
    "手米力学問高代明実円関決子動京全目表戦経通外最言氏現理調体化田当八六約主題下首意法不来作性的要用制治度務強気小七成期公野"
    "協取都和統以機平総加山思家話世受区領多県続進正安設保改数記院女初北午指権心界支第産結百派点教報済書府活原先共得解名交資予"
    "川向際査勝面委告軍文反元重近千考判認画海参売利組知案道信策集在件団別物側任引使求所次水半品昨論計死官増係感特情投示変打男"
    "基私各始島直両朝革価式確村提運終挙果西勢減台広容必応演電歳住争談能無再位置企真流格有疑口過局少放税検藤町常校料沢裁状工建"
    "語球営空職証土与急止送援供可役構木割聞身費付施切由説転食比難防補車優夫研収断井何南石足違消境神番規術護展態導鮮備宅害配副"
    "算視条幹独警宮究育席輸訪楽起万着乗店述残想線率病農州武声質念待試族象銀域助労例衛然早張映限親額監環験追審商葉義伝働形景落"
    "阪福岡鈴佐高橋渡辺伊藤加吉松林清池斎森阿崎浜横塚久保竹前谷近遠青坂村上内岩星中原小野桜菊東京神奈静広沼札幌仙熊鹿児沖縄戸"
    "庫歌奄姓号備考商名称種類単価在注顧客住番郵便支払請求納様宛株式有限"
)
CJK_MARKS = frozenset("、。「」『』（）：，！？《》【】〈〉～・ー〒々※＝／－％＆％￥ \u3000〇①②③④⑤㈱")


@dataclass(frozen=True, slots=True)
class Candidate:
    """An encoding, how often files are in it, and what text in it is made of."""

    name: str
    share: float
    """Of all files that are not in Unicode, about how many are in this encoding; only the order of size matters."""
    script: str
    languages: tuple[str, ...] = ()
    minor: tuple[str, ...] = ("de", "et")
    """Those of them that are mostly written in another encoding."""


_WEST = ("en", "fr", "de", "es", "pt", "it", "nl", "sv", "da", "fi", "is", "ca")
_MIDDLE = ("pl", "cs", "sk", "hu", "ro", "sl", "hr", "de")
CANDIDATES: tuple[Candidate, ...] = (
    Candidate("cp1252", 0.5, "latin", (*_WEST, "et"), ("et",)),
    Candidate("gb18030", 0.06, "gb"),
    Candidate("cp1251", 0.06, "cyrillic", ("ru", "uk", "bg", "sr", "be")),
    Candidate("cp932", 0.05, "jis"),
    Candidate("cp1250", 0.045, "latin", _MIDDLE),
    Candidate("big5", 0.02, "big5"),
    Candidate("cp949", 0.03, "ksc"),
    Candidate("euc_jp", 0.01, "jis"),
    Candidate("cp1254", 0.025, "latin", ("tr",)),
    Candidate("cp1253", 0.02, "greek", ("el",)),
    Candidate("cp1255", 0.02, "hebrew", ("he",)),
    Candidate("cp1256", 0.02, "arabic", ("ar", "fa")),
    Candidate("cp874", 0.015, "thai", ("th",)),
    Candidate("cp1257", 0.02, "latin", ("lt", "lv", "et"), ()),
    Candidate("iso8859_2", 0.015, "latin", _MIDDLE),
    Candidate("iso8859_15", 0.012, "latin", _WEST, ()),
    Candidate("mac_roman", 0.015, "latin", _WEST, ()),
    Candidate("cp850", 0.012, "latin", _WEST, ()),
    Candidate("cp437", 0.006, "latin", _WEST, ()),
    Candidate("cp852", 0.006, "latin", _MIDDLE),
    Candidate("koi8_r", 0.008, "cyrillic", ("ru", "bg")),
    Candidate("koi8_u", 0.004, "cyrillic", ("uk", "ru")),
    Candidate("cp866", 0.006, "cyrillic", ("ru",)),
    Candidate("iso8859_5", 0.003, "cyrillic", ("ru", "bg", "sr")),
    Candidate("mac_cyrillic", 0.002, "cyrillic", ("ru", "uk", "bg")),
    Candidate("iso8859_7", 0.006, "greek", ("el",)),
    Candidate("iso8859_6", 0.001, "arabic", ("ar",)),
    Candidate("iso8859_13", 0.002, "latin", ("lt", "lv", "et"), ()),
    Candidate("iso8859_4", 0.0005, "latin", ("lt", "lv", "et"), ()),
    Candidate("cp775", 0.0005, "latin", ("lt", "lv", "et"), ()),
    Candidate("iso8859_16", 0.0005, "latin", ("ro",)),
    Candidate("mac_latin2", 0.0005, "latin", ("pl", "cs", "sk", "hu")),
    Candidate("mac_turkish", 0.0005, "latin", ("tr",)),
    Candidate("cp857", 0.0005, "latin", ("tr",)),
    Candidate("cp737", 0.0005, "greek", ("el",)),
    Candidate("cp862", 0.0005, "hebrew", ("he",)),
    Candidate("cp1258", 0.001, "latin", ("vi",)),
)
