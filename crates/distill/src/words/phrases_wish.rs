//! What people ask for: lower case, whole words, bars between them.

/// No wish at all.
pub(super) const GREETINGS: &str = "\
    hi|hello|hey|hey there|hello there|hi there|yo|sup|hiya|howdy|good morning|good evening|\
    good afternoon|morning|test|testing|test 123|ping|are you there|you there|are you there?|\
    anyone there|hello?|hi!|hey!|hi claude|hello claude|hey claude|hi codex|hey codex|\
    hello codex|hi grok|hey grok|hello grok|what's up|whats up|how are you|hallo|moin|servus|\
    guten morgen|guten tag|guten abend|hola|buenas|buenos días|qué tal|salut|bonjour|coucou|\
    ciao|olá|oi|你好|您好|在吗|嗨|こんにちは|おはよう|もしもし|テスト|测试|안녕하세요|привет|continue|go on|resume|weiter|继续|\
    go|ok|okay|thanks|exit|quit|help|bye|...|?|.";

/// Openings of a wish that words fulfil.
pub(super) const ASKS: &str = "\
    what|what's|whats|why|how|where|when|who|which|whose|is|are|was|were|does|do we|do i|do you|\
    did|has|have we|can i|can we|can you explain|can you tell|could you explain|could you tell|\
    should|would|am i|explain|describe|tell me|list|show|show me|summarise|summarize|summary|\
    review|compare|analyse|analyze|analysis|investigate|outline|plan|draft|propose|suggest|\
    recommend|brainstorm|estimate|count|find out|look into|read|think about|give me|\
    help me understand|document how|audit|assess|evaluate|research|diagnose|check whether|\
    check if|is there|any idea|wie|warum|wieso|weshalb|wo|wann|wer|welche|welcher|welches|ist|\
    sind|gibt es|kann man|erkläre|erklär|erklär mir|zeig|zeige|liste|fasse|vergleiche|qué|¿qué|\
    ¿por qué|por qué|cómo|¿cómo|cuál|¿cuál|¿cuántos|cuántos|¿dónde|¿hay|explica|muéstrame|\
    resume|compara|pourquoi|comment|quel|quelle|quels|combien|où|est-ce que|c'est quoi|\
    qu'est-ce|explique|montre|résume|为什么|什么|怎么|如何|哪|解释|说明|有没有|是不是|总结|列出|なぜ|どう|何|どこ|いつ|説明|教えて";

/// Words of a wish that words fulfil.
pub(super) const TELLS: &str = "\
    can you explain|could you explain|explain why|explain how|explain what|tell me|make a plan|\
    write a plan|a plan for|just a plan|bullet points|what do you think|what's the difference|\
    figure out why|how many|how much|your opinion|解释|说明|是什么|为什么|吗|教えて|説明して|ですか|warum|erklär|\
    explícame|explique";

/// A failing check is part of the wish.
pub(super) const ALLOWS_RED: &str = "\
    should fail|failing test|failing tests|fails for now|must fail|expected to fail|red test|\
    red tests|regression test|reproduction|repro|reproducer|minimal example|demonstrate|\
    shows the bug|show the bug|prove the bug|why does|why do|why is|why are|explain|don't fix|\
    do not fix|without fixing|no fix|just run|which tests|how many tests|list the failing|\
    what fails|what is failing|what's failing|tdd|sollte fehlschlagen|fehlschlagend|warum|\
    erklär|soll rot|que falle|debe fallar|por qué|pourquoi|为什么|解释|复现|失败的测试|なぜ|再現|reproduce the|\
    tell me which|tell me what|tell me why|report what|report which|失敗するテスト|test qui échoue";

/// Nothing may be changed.
pub(super) const HANDS_OFF: &str = "\
    no changes|don't change|do not change|don't touch|without changing|don't edit|do not edit|\
    read only|read-only|don't implement|no code|don't write|just explain|only explain|\
    only a plan|plan only|just plan|nothing yet|nur erklären|nichts ändern|ohne änderungen|\
    no cambies|sin cambios|ne change rien|不要改|别改|变更しない|変更しないで";
