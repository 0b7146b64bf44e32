//! Korean sentences, read as the English ones that say the same: the shapes, the rules of other tools
//! and our own topics then need to know one language. What has no such reading stays as it is.

use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Whether the words are Korean.
pub(super) fn is_korean(text: &str) -> bool {
    text.chars().any(|c| ('\u{AC00}'..='\u{D7A3}').contains(&c))
}

/// Words in Latin letters are code in a Korean sentence, unless they are one of these.
pub(super) fn is_code(word: &str) -> bool {
    const WORDS: [&str; 30] = [
        "claude",
        "ai",
        "co-authored-by",
        "inline",
        "style",
        "styles",
        "kebab-case",
        "snake_case",
        "camelcase",
        "pascalcase",
        "conventional",
        "commit",
        "commits",
        "strict",
        "mode",
        "import",
        "imports",
        "export",
        "default",
        "pr",
        "typescript",
        "main",
        "master",
        "git",
        "ci",
        "test",
        "sql",
        "and",
        "or",
        "file",
    ];
    !WORDS.contains(&word.to_ascii_lowercase().as_str())
}

/// Whether a Korean sentence demands something.
pub(super) fn demands(shape: &str) -> bool {
    static DEMANDS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"금지|불가|지양|마세요|마십시오|마라|말 ?것|말아|않는다|않습니다|않을 것|안 ?(?:된다|됩니다|돼|됨)|반드시|항상|필수|(?i:kebab-case|snake_case|camelcase|pascalcase)|[해어아여]야|하세요|할 것|절대|대신|에서만|만 사용|이하|이내|초과|준수|따른다|따릅니다|(?:사용|작성|유지|통일|명시|적용|시작|활성화)(?:한다|합니다|함|하기)?(?:\s*\([^)]*\))?[.\s]*$|우선|지향|선호|제거|진행(?:한다|합니다)",
        )
    });
    DEMANDS.is_match(shape)
}

fn expression(text: &str) -> Regex {
    Regex::new(text).expect("an expression")
}

/// The sentence in English, as far as a shape of it is known; `None`: it has none.
pub(super) fn english(shape: &str) -> Option<String> {
    if !is_korean(shape) {
        return None;
    }
    let plain = plain(shape);
    read(&plain).or_else(|| demands(&plain).then(|| by_words(&plain)).flatten())
}

fn read(plain: &str) -> Option<String> {
    SHAPES.iter().find_map(|(found, make)| make(&found.captures(plain)?))
}

/// An item under a heading that forbids, in English: "«0» 남기기" below "금지 사항".
pub(super) fn forbidden(shape: &str) -> Option<String> {
    static TAIL: LazyLock<Regex> =
        LazyLock::new(|| expression(r"\s*(?:\([^()]*\))?\s*(?:하기|기)?[.\s]*$"));
    static ASIDE: LazyLock<Regex> = LazyLock::new(|| expression(r"\s*\([^()]*\)"));
    let bare = ASIDE.replace_all(shape, "").into_owned();
    let item = format!("{} 금지", TAIL.replace(&bare, ""));
    let plain = plain(&item);
    read(&plain).or_else(|| by_words(&plain))
}

/// Lists joined in one way, and no particles or nouns behind what stands in slots.
fn plain(shape: &str) -> String {
    static LISTS: LazyLock<Regex> =
        LazyLock::new(|| expression(r"»\s*(?:,|/|·|및|또는|혹은|와|과|이나|나)\s*«"));
    static NOUNS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"»\s*(?:타입|형|함수|메서드|메소드|주석|키워드|구문|문법|문|매크로|패키지|라이브러리|모듈|파일|훅|데코레이터|객체|연산자|클래스|명령어|명령)(?:들)?(?P<rest>(?:을|를|은|는|이|가|도|의)?(?:\s|$|[.,:;]))",
        )
    });
    static PARTICLES: LazyLock<Regex> =
        LazyLock::new(|| expression(r"»\s?(?:을|를|은|는|이|가|도|의|라는)(?P<rest>\s|$|[.,:;])"));
    static CASES: [(&str, &str); 4] = [
        ("케밥 ?케이스", "kebab-case"),
        ("스네이크 ?케이스", "snake_case"),
        ("카멜 ?케이스", "camelCase"),
        ("파스칼 ?케이스", "PascalCase"),
    ];
    static NAMED: LazyLock<Vec<(Regex, &str)>> =
        LazyLock::new(|| CASES.iter().map(|(korean, said)| (expression(korean), *said)).collect());
    let mut shape = shape.to_owned();
    for (korean, said) in NAMED.iter() {
        shape = korean.replace_all(&shape, *said).into_owned();
    }
    let joined = LISTS.replace_all(&shape, "» or «").into_owned();
    let bare = NOUNS.replace_all(&joined, "»$rest").into_owned();
    PARTICLES.replace_all(&bare, "»$rest").into_owned()
}

const LIST: &str = r"(?P<list>«\d+»(?: or «\d+»)*)";
const ADVERBS: &str =
    r"(?:(?:절대로?|직접|무조건|전혀|가급적|가능하면|더 ?이상|새로|코드에|코드에서|함께)\s*)*";
/// What forbids, after a stem.
const NOT: &str = r"(?:\s*(?:을|를|은|는)?\s*(?:하|되)?(?:지|지는)?\s*(?:마세요|마십시오|마라|마시오|말\s?것|말아|않는다|않습니다|않을\s?것|않아야|않도록|않음)|\s*(?:하면|해서는|되면|면)\s*안\s?(?:된다|됩니다|돼|됨)|\s*(?:을|를|은|는)?\s*(?:절대로?\s*)?(?:엄격히\s*)?(?:금지|불가|지양))";
const PLACE: &str = r"(?:(?P<place>«\d+»|테스트|프로덕션)(?:\s?(?:코드|폴더|디렉토리|디렉터리|레이어|계층|내부|안))?(?P<side>에서는|에서|에는|에|\s?밖에서는?|\s?외부에서는?|\s?이외에서는?)\s*)?";
const USE: &str = r"(?:사용|이용|쓰|활용)";
const ADD: &str = r"(?:추가|작성|도입|생성|남기|남겨\s?두|두|만들|넣)";
const CALL: &str = r"(?:호출)";
const IMPORT: &str = r"(?:import|임포트|가져오|의존|참조|접근)";

type Make = fn(&Captures<'_>) -> Option<String>;

/// Shapes of Korean sentences, the surest first, and what each reads like.
static SHAPES: LazyLock<Vec<(Regex, Make)>> = LazyLock::new(|| {
    let rows: Vec<(String, Make)> = vec![
        (
            format!(r"(?P<branch>«\d+»|main|master)\s?브랜치(?:에|로)\s?{ADVERBS}(?:푸시|push|커밋|commit|머지|merge){NOT}"),
            |found| Some(format!("never push directly to {}", &found["branch"])),
        ),
        (
            r"(?:모든\s?)?(?:(?:Git|git|깃)\s?)?커밋\s?메시지(?:는|를|:)?\s?(?:(?:항상|반드시|모두)\s?)*(?P<language>한국어|한글|영어|영문)(?:로|으로)".to_owned(),
            |found| {
                let language = if found["language"].starts_with('한') { "Korean" } else { "English" };
                Some(format!("commit messages must be written in {language}"))
            },
        ),
        (
            r"(?:요약|제목|메시지)(?:에는|에)\s?한글\s?(?:을|이)?\s?(?:반드시\s?)?(?:포함|필수|있어야)".to_owned(),
            |_| Some("commit messages must be written in Korean".to_owned()),
        ),
        (
            r"(?:(?i:co-authored-by)\S{0,3}|공동\s?작성자|(?i:claude|ai)[»\s]{0,3}서명)[^.]{0,30}(?:금지|마세요|말\s?것|않)|(?i:claude|ai)[»\s]{0,3}서명\s?금지".to_owned(),
            |_| Some("never name Claude as co-author in commits".to_owned()),
        ),
        (r"(?i)(?:conventional\s?commits?|컨벤셔널\s?커밋)(?P<rest>.*)".to_owned(), |found| {
            let is_against = ["않", "금지", "마세요", "말 것"];
            let is_for = !is_against.iter().any(|word| found["rest"].contains(word));
            is_for.then(|| "always use Conventional Commits".to_owned())
        }),
        (
            r"(?:제목|subject)\s?(?:의\s?)?(?:끝|마지막)(?:에|에는)?\s?.{0,40}?(?:(?:마침표|문장\s?부호|구두점|온점).{0,40}?(?:금지|않|말|마세요)|«\d+».{0,30}?(?:금지|않|말|마세요))|(?:마침표|온점)(?:로|으로)\s?끝(?:내|나)지\s?않".to_owned(),
            |_| Some("the subject must not end with a period".to_owned()),
        ),
        (
            r"(?:첫\s?글자|제목|subject)\S*\s?(?:는|은)?\s?소문자".to_owned(),
            |_| Some("the subject starts in lower case".to_owned()),
        ),
        (
            r"커밋\s?(?:메시지|제목|타이틀)[^\d«]{0,20}(?P<max>\d+)\s?자\s?(?:이하|이내|를 넘|을 넘|초과)".to_owned(),
            |found| Some(format!("commit subjects must have at most {} characters", &found["max"])),
        ),
        (
            r"(?:제목|타이틀|subject)[^\d«]{0,12}(?P<max>\d+)\s?자\s?(?:이하|이내|를 넘|을 넘|초과)".to_owned(),
            |found| Some(format!("the subject must have at most {} characters", &found["max"])),
        ),
        (
            r"커밋(?:에는|에|\s?메시지에는?)\s?«(?P<trailer>\d+)»\s?(?:줄|트레일러|라인)".to_owned(),
            |found| Some(format!("every commit must have a «{}» line", &found["trailer"])),
        ),
        (
            r"브랜치(?:\s?이름|명)?\S*\s«(?P<first>\d+)»(?P<more>(?: or «\d+»)*)\s?(?:으로|로)\s?시작".to_owned(),
            |found| Some(format!("branch names must start with «{}»{}", &found["first"], &found["more"])),
        ),
        (
            r"필수\s?[:：]\s?(?P<good>pnpm|npm|yarn|bun)\s?사용|^(?P<good2>pnpm|npm|yarn|bun)\s?(?:만|을|를)?\s?사용\s?필수".to_owned(),
            |found| {
                let good = found.name("good").or_else(|| found.name("good2"))?.as_str();
                Some(format!("use {good} as the package manager"))
            },
        ),
        (
            r"(?:패키지|의존성)[^«.]{0,12}(?:명령어|설치|관리)[^«.]{0,12}?[\s'‘“](?P<good>pnpm|npm|yarn|bun)['’”]?\s?(?:으로|로|만|을|를)".to_owned(),
            |found| Some(format!("use {} as the package manager", &found["good"])),
        ),
        (
            r"(?P<bad>«\d+»(?: or «\d+»)*|npm|yarn|pnpm|bun)\s?(?:대신(?:에)?|말고)\s?(?P<good>«\d+»|npm|yarn|pnpm|bun)".to_owned(),
            |found| Some(format!("use {} instead of {}", &found["good"], &found["bad"])),
        ),
        (
            r"패키지\s?(?:매니저|관리자|관리)\S*\s(?P<good>«\d+»|npm|yarn|pnpm|bun)".to_owned(),
            |found| Some(format!("use {} as the package manager", &found["good"])),
        ),
        (
            format!(r"{LIST}\s?(?:은|는)?\s?{ADVERBS}(?:(?:(?:git|Git|깃|저장소)에\s?)?(?:커밋|commit)|(?:git|Git|깃|저장소)에\s?(?:추가|포함|올리)){NOT}"),
            |found| Some(format!("never commit {}", &found["list"])),
        ),
        (
            format!(r"«(?P<what>\d+»)\s(?P<place>«\d+»)(?:\s?(?:안|내부?|폴더))?에서만\s?{ADVERBS}{IMPORT}"),
            |found| Some(format!("only {} may import «{}", &found["place"], &found["what"])),
        ),
        (
            format!(r"«(?P<what>\d+»)\s(?P<place>«\d+»|테스트)(?:\s?(?:안|내부?|폴더|코드))?에서만\s?{ADVERBS}(?:{USE}|{CALL})"),
            |found| Some(format!("use «{} only in {}", &found["what"], place(&found["place"]))),
        ),
        (
            format!(r"(?P<from>«\d+»)(?:에서는?)?\s{LIST}(?:에|로부터|에서)?\s?{ADVERBS}{IMPORT}{NOT}"),
            |found| Some(format!("{} must not import {}", &found["from"], &found["list"])),
        ),
        (
            r"(?:모든|각)\s?(?P<each>«\d+»|패키지|크레이트|앱|서비스|모듈|플러그인|예제)(?:들)?(?:에는|에|은|는|마다)?\s?«(?P<has>\d+)»(?:이|가)?\s?(?:있어야|필요|필수|포함|가져야|둔다|두어야|를? ?갖)".to_owned(),
            |found| Some(format!("every {} must have a «{}»", member(&found["each"]), &found["has"])),
        ),
        (
            r"(?P<from>«\d+»)\s?(?:변경|수정|바꾸|고치|추가)(?:하면|할 때|할 때는|시|시에|면|하는 경우)\s?(?:반드시\s?)?(?P<to>«\d+»)\s?(?:함께|같이|반드시|에도|에)?\s?(?:업데이트|수정|갱신|변경|추가|반영)".to_owned(),
            |found| Some(format!("when {} changes, update {}", &found["from"], &found["to"])),
        ),
        (
            r"(?P<file>«\d+»)에서?\s(?P<key>«\d+»)\s(?P<value>«\d+»)(?:으로|로)\s?(?:설정|유지|지정)".to_owned(),
            |found| Some(format!("set {} to {} in {}", &found["key"], &found["value"], &found["file"])),
        ),
        (
            r"(?i)(?:typescript|ts|타입스크립트)?\s?(?:strict|엄격)\s?(?:mode|모드)\S*\s?(?:필수|유지|활성화|반드시|항상|사용|켜)".to_owned(),
            |_| Some("TypeScript strict mode must stay enabled".to_owned()),
        ),
        (
            r"(?i)(?:(?P<place>«\d+»)\S*\s)?(?P<what>폴더\s?(?:이름|명)|디렉[토터]리\s?(?:이름|명)|파일\s?(?:이름|명)?|컴포넌트\s?(?:파일)?\s?(?:이름|명)?)(?:은|는|을|를)?[^«]{0,16}?(?P<case>kebab-case|snake_case|camelcase|pascalcase)".to_owned(),
            |found| {
                let place = found.name("place").map_or(String::new(), |one| format!(" in {}", one.as_str()));
                let what = match &found["what"] {
                    folder if folder.starts_with(['폴', '디']) => "folder names",
                    component if component.starts_with('컴') && !component.contains("파일") => {
                        "names of components"
                    }
                    _ => "file names",
                };
                Some(format!("{what}{place} are {}", &found["case"]))
            },
        ),
        (
            r"(?P<what>«\d+»|파일|함수|메서드|컴포넌트)\S*[^\d«]{0,12}(?P<max>\d[\d,]*)\s?(?:줄|라인)(?:을|를)?\s?(?:이하|이내|넘|초과|까지|미만)".to_owned(),
            |found| Some(format!("{} must have at most {} lines", subject(&found["what"]), &found["max"])),
        ),
        (
            format!(r"(?P<command>«\d+»)\s?{ADVERBS}실행{NOT}"),
            |found| Some(format!("never run {}", &found["command"])),
        ),
        (
            r"(?P<command>«\d+»)\s?(?:로|으로)?\s?(?:반드시\s?|항상\s?)?(?:실행|통과|돌리)".to_owned(),
            |found| Some(format!("always run {}", &found["command"])),
        ),
        (
            format!(r"{PLACE}{LIST}\s?[:：]?\s?{ADVERBS}(?:{USE}|{ADD}|{CALL}|{IMPORT})?{NOT}(?P<rest>.*)"),
            |found| {
                let place = place_of(found);
                Some(format!("never use {}{place}", &found["list"]))
            },
        ),
        (
            format!(r"(?:{USE}|{CALL})?\s?금지\s?(?:예시?)?\s?[:：]\s?{LIST}"),
            |found| Some(format!("never use {}", &found["list"])),
        ),
    ];
    rows.into_iter().map(|(text, make)| (expression(&text), make)).collect()
});

/// The place that a ban speaks of.
fn place_of(found: &Captures<'_>) -> String {
    let Some(inside) = found.name("place") else { return String::new() };
    let side = found.name("side").map_or("", |side| side.as_str());
    let outside = ["밖", "외부", "이외"].iter().any(|word| side.contains(word));
    let word = if outside { "outside of" } else { "in" };
    format!(" {word} {}", place(inside.as_str()))
}

fn place(word: &str) -> &str {
    match word {
        "테스트" => "tests",
        "프로덕션" => "production code",
        other => other,
    }
}

fn member(word: &str) -> &str {
    match word {
        "패키지" => "package",
        "크레이트" => "crate",
        "앱" => "app",
        "서비스" => "service",
        "모듈" => "module",
        "플러그인" => "plugin",
        "예제" => "example",
        other => other,
    }
}

fn subject(word: &str) -> &str {
    match word {
        "파일" => "files",
        "함수" | "메서드" => "functions",
        "컴포넌트" => "components",
        other => other,
    }
}

/// What people call things, for sentences of no shape.
static GLOSSARY: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let rows = [
        (
            r"(?:비밀번호|패스워드|시크릿|비밀\s?키|API\s?키|api\s?key|자격\s?증명|토큰).{0,20}(?:하드\s?코딩|커밋|코드에)|하드\s?코딩(?:된|한)?\s?(?:비밀번호|패스워드|시크릿|비밀\s?키|API\s?키|자격\s?증명|토큰)",
            "never hard-code passwords",
        ),
        (
            r"하드\s?코딩(?:된|한)?\s?(?:색상|컬러|색깔)|(?:색상|컬러)\S{0,4}\s?하드\s?코딩",
            "no hard-coded colors",
        ),
        (
            r"인라인\s?스타일(?:을|은|는)?\s?(?:사용\s?)?(?:금지|지양|하지|쓰지|피)|(?i:inline\s?styles?)\s?(?:은|을)?\s?(?:사용\s?)?(?:지양|금지)",
            "avoid inline styles",
        ),
        (r"콘솔\s?로그(?:를|는|을)?\s?(?:금지|제거|남기|지우)", "never leave console logs behind"),
        (
            r"함수형\s?컴포넌트(?:만|를|로|와|\s)*(?:\+\s?\S+\s?)?(?:만\s?)?(?:사용|우선|작성|선호|쓴다|\(|$)",
            "use functional components",
        ),
        (r"(?:변수|함수)[^.]{0,12}(?i:camelcase)", "use camelCase for functions and variables"),
        (r"주석\s?처리된\s?코드", "never leave commented-out code"),
        (r"순환\s?(?:참조|의존|import|임포트)", "avoid circular imports"),
        (
            r"(?:파라미터|매개\s?변수)\S*\s?(?:바인딩|쿼리|화된)|(?i:SQL).{0,12}(?:문자열|연결|결합)",
            "always use parameterized queries",
        ),
        (
            r"빈\s?catch|에러를?\s?(?:삼키|무시)|예외를?\s?(?:삼키|무시)",
            "never leave empty catch blocks",
        ),
        (r"테스트를?\s?(?:스킵|건너뛰|비활성화|skip)", "never skip tests"),
        (r"(?:와일드카드|별표)\s?(?:import|임포트)", "no wildcard imports"),
        (r"매직\s?넘버|매직\s?상수", "no magic numbers"),
        (r"(?:미사용|사용하지 않는|안 쓰는)\s?(?:import|임포트)", "no unused imports"),
        (r"(?:미사용|사용하지 않는)\s?변수", "no unused variables"),
        (r"타입\s?(?:힌트|어노테이션)", "always add type hints"),
        (r"(?:디버그|디버깅)\s?(?:출력|코드|로그)", "never leave debug output"),
        (r"깨진\s?링크", "no broken links"),
        (r"기본\s?(?:export|내보내기)|default\s?export", "no default exports"),
        (r"이모지", "no emojis"),
        (r"세미콜론", "semicolons are set by the formatter, always"),
        (r"(?:작은|큰)\s?따옴표", "single quotes, always"),
        (r"들여쓰기", "indentation is set, always"),
        (r"독스트링|docstring", "always write docstrings"),
    ];
    rows.into_iter().map(|(text, said)| (expression(text), said)).collect()
});

/// What a sentence of no shape says of a thing known by name.
fn by_words(plain: &str) -> Option<String> {
    let found = GLOSSARY.iter().find(|(words, _)| words.is_match(plain));
    found.map(|(_, said)| (*said).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn korean_sentences_read_as_english_ones() {
        for (korean, wanted) in [
            ("«0» 타입을 사용하지 마세요.", "never use «0»"),
            ("«0» 타입 사용 금지", "never use «0»"),
            ("절대 «0», «1» 을 쓰지 말 것", "never use «0» or «1»"),
            ("«0» 주석은 남기지 않는다.", "never use «0»"),
            ("«0» 호출은 금지합니다", "never use «0»"),
            ("«0»에서는 «1»를 사용하지 않는다", "never use «1» in «0»"),
            ("«0» 밖에서 «1»를 호출하면 안 됩니다", "never use «1» outside of «0»"),
            ("프로덕션 코드에서 «0» 사용 금지", "never use «0» in production code"),
            ("«0»는 «1»에 의존하지 않는다", "«0» must not import «1»"),
            ("«0»에서 «1»을 import하지 마세요", "«0» must not import «1»"),
            ("«0» 대신 «1»를 사용하세요", "use «1» instead of «0»"),
            ("npm 대신 pnpm을 사용합니다.", "use pnpm instead of npm"),
            ("패키지 매니저는 «0»만 사용", "use «0» as the package manager"),
            ("«0» 파일은 절대 커밋하지 마세요", "never commit «0»"),
            ("«0» 파일은 절대 git에 커밋하지 않는다.", "never commit «0»"),
            ("«0» 준수 — «1» 타입 사용 금지", "never use «1»"),
            ("«0» 타입 절대 금지: 명확한 타입 정의", "never use «0»"),
            ("«0»의 각 문서는 200줄 이하로 유지하고", "«0» must have at most 200 lines"),
            ("토큰은 쿠키에만 둔다 («0» 금지)", "never use «0»"),
            ("«0»는 «1»에서만 호출한다", "use «0» only in «1»"),
            ("«0»는 «1»에서만 import 한다", "only «1» may import «0»"),
            ("파일은 500줄 이하로 유지한다", "files must have at most 500 lines"),
            ("함수는 50줄을 넘지 않는다", "functions must have at most 50 lines"),
            ("파일명은 kebab-case를 사용한다", "file names are kebab-case"),
            ("모든 패키지에는 «0»가 있어야 한다", "every package must have a «0»"),
            ("«0»를 변경하면 «1»도 함께 업데이트해야 한다", "when «0» changes, update «1»"),
            ("커밋 메시지는 Conventional Commits를 따른다", "always use Conventional Commits"),
            ("커밋 제목은 72자 이내", "commit subjects must have at most 72 characters"),
            ("main 브랜치에 직접 푸시하지 마세요", "never push directly to main"),
            ("커밋 전에 «0»를 실행하세요", "always run «0»"),
            ("«0»는 실행하지 마세요", "never run «0»"),
            ("비밀번호를 코드에 하드코딩하지 말 것", "never hard-code passwords"),
            ("순환 참조 금지", "avoid circular imports"),
            ("«0»에서 «1»을 «2»로 설정한다", "set «1» to «2» in «0»"),
        ] {
            assert_eq!(english(korean).as_deref(), Some(wanted), "{korean}");
        }
    }

    #[test]
    fn what_has_no_shape_has_no_reading() {
        for korean in [
            "의미 있는 이름을 사용하세요",
            "«0»을 참고하세요.",
            "Never use «0»",
            "테스트를 작성한다",
            "«0»는 빠르다",
        ] {
            assert_eq!(english(korean), None, "{korean}");
        }
    }
}
