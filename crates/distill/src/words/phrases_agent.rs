//! What agents say about their work: lower case, whole words, bars between them.

/// The agent reports the work done.
pub(super) const DONE: &str = "\
    all done|is done|are done|all tests pass|all tests are passing|tests pass|tests passing|\
    tests are passing|test suite passes|all checks pass|all green|is complete|are complete|\
    is now complete|completed successfully|has been completed|is finished|is fixed|are fixed|\
    is now fixed|has been fixed|have been fixed|is resolved|has been resolved|is now working|\
    works correctly|now works|working correctly|works as expected|working as expected|\
    has been updated|have been updated|has been added|have been added|has been implemented|\
    have been implemented|has been created|have been created|has been removed|have been removed|\
    is in place|are in place|is ready|are ready|ready to use|ready for review|ready to merge|\
    i've fixed|i fixed|i have fixed|i've added|i added|i have added|i've implemented|\
    i implemented|i have implemented|i've updated|i updated|i have updated|i've created|\
    i created|i have created|i've removed|i removed|i've refactored|i refactored|i've completed|\
    i completed|i've made|i made the|i've committed|i committed|i've pushed|i pushed|\
    committed and pushed|pushed to|committed as|committed the|pr created|pull request created|\
    opened pr|opened a pr|i've moved|i've renamed|i've replaced|i've rewritten|i've written|\
    i wrote|i've set up|i've cleaned|i've verified|verified that|build passes|builds cleanly|\
    build succeeds|compiles cleanly|no issues found|nothing else to do|implementation complete|\
    changes made|here's what i did|here is what i did|here's a summary|here is a summary|\
    summary of changes|what i changed|what was done|updated the|fixed the|added the|\
    implemented the|created the|erledigt|fertig|abgeschlossen|listo|completado|terminé|完成|已修复|\
    已完成|verification:|now returns|now uses|now handles|now supports|successfully|all set|\
    tests are green|is green|are green|suite passes|lint passes|build is green|builds fine|\
    it builds|works now|is gone|are gone|gone from|is now|are now|has now|have now|now has|\
    now shows|now accepts|now runs|fixed|added|removed|renamed|replaced|updated|created|pushed|\
    committed|opened|published|deployed|installed|migrated|converted|rewritten|moved|reworded|\
    translated|restored|reverted|jetzt|behoben|erstellt|hinzugefügt|angepasst|entfernt|\
    umbenannt|geändert|eliminado|añadido|agregado|corregido|actualizado|creado|ahora|ya está|\
    hecho|corrigé|ajouté|supprimé|mis à jour|créé|maintenant|c'est fait|est en place|已|改为|通过|\
    しました|完了|修正しました|追加しました|直しました|done";

/// Openings with which an agent reports the work done.
pub(super) const FINISHES: &str = "\
    done|fixed|implemented|added|updated|created|committed|pushed|merged|removed|refactored|\
    completed|resolved|renamed|moved|replaced|finished|perfect|excellent|great|✅|success|\
    all set|switched|wrote|cleaned|applied|reverted|restored|installed|configured|built|\
    deployed|published";

/// The agent reports that it did not get there.
pub(super) const STUCK: &str = "\
    could not be completed|couldn't be completed|still failing|still fails|still fail|\
    still broken|still not working|i'm blocked|i am blocked|blocked on|i'm stuck|i am stuck|\
    did not succeed|didn't succeed|not successful|unsuccessful|remains unresolved|\
    remain unresolved|remains broken|not yet working|not working yet|isn't working|\
    i don't have access|i do not have access|don't have permission|gave up|without success|\
    no success|i failed|execution error|credit balance|nicht möglich|no pude|je n'ai pas pu|\
    tests are failing|doesn't compile|does not compile|did not work|didn't work|didn't work out|\
    does not work|doesn't work|not work out|none of the approaches|none of these worked|\
    none of them worked|none of it worked|nothing worked|no luck|not possible|isn't possible|\
    is impossible|can't be done|cannot be done|can't be recovered|cannot be recovered|\
    out of my reach|not allowed|not permitted|permission denied|access denied|was denied|\
    was refused|is refused|unauthorized|forbidden|requires root|requires sudo|has to run|\
    someone with|needs admin|nothing has been|nothing was changed|i made no changes|\
    no changes were made|i made no change|i changed nothing|nothing was published|\
    nothing was deployed|has failed|publishing failed|deploy failed|deployment failed|\
    the build failed|build fails|build still fails|the tests fail|tests fail|tests still fail|\
    fails with|failed with|failed because|failed again|keeps failing|keep failing|still red|\
    is still red|are still red|remains red|still an error|same error|still crashes|still hangs|\
    still times out|remaining type error|remaining error|remaining failure|leave it at that|\
    have to stop here|must stop here|i'm out of ideas|out of ideas|out of options|\
    no further ideas|i don't see why|don't know why|do not know why|no idea why|\
    can't figure out|i have no access|have no access|lack the permission|lacks permission|\
    missing permission|missing credentials|not reachable|unreachable|i'm sorry|unfortunately|\
    i give up|i'm giving up|not solved|unsolved|not fixed|isn't fixed|remains open|\
    was not successful|wasn't successful|fehlgeschlagen|gescheitert|klappt nicht|geht nicht|\
    funktioniert nicht|nicht geschafft|leider nicht|keinen zugriff|keine rechte|\
    keine berechtigung|schlägt fehl|schlagen fehl|no se puede|no fue posible|imposible|\
    no tengo acceso|no tengo permisos|no logré|no he podido|lamentablemente|falló|\
    sigue fallando|n'est pas possible|je ne peux pas|pas réussi|je n'ai pas accès|échoue|échoué|\
    malheureusement|désolé|没有权限|不可能|做不到|没能|没有办法|抱歉|出错|できません|できない|失敗|接続できない|権限がありません|申し訳|\
    no way to build|no way to run|no way to get|there is no way|est impossible|\
    i have no access to|and i have no access";

/// Something could not be had; what it was decides.
pub(super) const UNABLE: &str = "\
    i can't|i cannot|i could not|i couldn't|could not|couldn't|can't|cannot|unable to|\
    i was unable|not able to|wasn't able|was not able|i'm not able|i have no|i don't have|\
    i do not have|there is no|there are no|haven't|have not|hasn't been|has not been|didn't|\
    did not|not been|without a|without the|isn't possible to|no way to|impossible to|failed to|\
    kann ich|konnte ich|konnte das|konnte die|konnte den|konnte es|ich kann|ich konnte|\
    kann nicht|konnte nicht|lässt sich|no puedo|no pude|no he podido|no tengo|je ne peux pas|\
    je n'ai pas|je ne dispose|impossible de|não consegui|无法|没法|没有|不能|できません|できない|できませんでした|ていません";

/// Trying the result out, as opposed to making it.
pub(super) const TRIES: &str = "\
    tested|test it|test this|test that|testing|verify|verified|verify it|verify that|\
    verify this|try|try it|tried|trying|run it|run the app|run an upload|check it|confirm|flash|\
    simulate|measure|validate|exercise|see whether|tell whether|tell if|know whether|know if|\
    say whether|be sure|exercised|observe|look at it|see the result|end to end|end-to-end|\
    reproduce|testen|prüfen|überprüfen|verifizieren|ausprobieren|probar|probarlo|verificar|\
    comprobar|tester|vérifier|essayer|测试|验证|试|確認|テスト|試|run the test suite|run the tests|\
    run the suite|check that|check whether|check this|check how|test on|test whether|\
    test against|test the|test here|test from|test with|test without|test";

/// Where the agent is.
pub(super) const NOT_HERE: &str = "\
    here|from here|this machine|this environment|this sandbox|the sandbox|this host|this system|\
    this container|my side|my end|locally|hier|auf dieser maschine|aquí|desde aquí|ici|这里|本机|ここ|\
    この環境";

/// Something is not there.
pub(super) const NEGATES: &str = "\
    no|not|n't|isn't|aren't|can't|cannot|don't|doesn't|without|lack|lacks|nor|kein|keine|keinen|\
    nicht|ohne|sin|sans|pas|没有|无|不|ない|ません";

/// It is still to come.
pub(super) const FUTURE: &str = "\
    will|should be|should finish|should take|expect|expected|ready by|done by|through by|wird|\
    sollte|terminará|debería|sera|devrait|预计|予定";

/// How long, or when.
pub(super) const TIMES: &str = "\
    hours|hour|minutes|minute|tonight|tomorrow|overnight|morning|days|weeks|stunden|minuten|\
    morgen|horas|minutos|mañana|heures|demain|小时|分钟|時間|分後";

/// One side of a bargain.
pub(super) const RISES: &str = "\
    faster|smaller|better|lower|less|fewer|improves|improved|falls|drops|schneller|besser|\
    más rápido|plus rapide|更快|速く";

/// The other side.
pub(super) const FALLS: &str = "\
    slower|larger|bigger|worse|higher|more memory|rises|grows|langsamer|schlechter|más lento|\
    plus lent|更慢|遅く";

/// What keeps a remainder from being done.
pub(super) const TIES: &str = "\
    still|need|needs|require|requires|depend|depends|not|n't|can't|use|wait|waits|later|\
    decision";

/// The result has not been tried.
pub(super) const UNTRIED: &str = "\
    untested|not tested|not been tested|wasn't tested|have not tested|haven't tested|unverified|\
    not verified|not been verified|haven't verified|have not verified|haven't tried|\
    have not tried|haven't run|have not run|not run it|without testing|please verify|\
    please test|please try|please give it|please run it|could you test|could you try|\
    could you verify|could you check|could you confirm|could you give it|can you test|\
    can you try|can you verify|can you confirm|can you check|you may want to verify|\
    you should verify|you should test|you'll need to test|you will need to test|\
    you'll have to test|you'll have to check|needs testing|needs to be tested|has to be tested|\
    must be tested|needs to be verified|needs to be confirmed|remains to be seen|\
    only shows in production|only be seen in|only visible in|only show up|only be verified|\
    only be tested|let me know if it works|let me know whether|let me know if it helps|\
    let me know if that helps|let me know how it|tell me whether it|see if that helps|\
    see if it helps|see whether it helps|can't tell whether|cannot tell whether|\
    can't say whether|cannot say whether|might help|may help|might fix|may fix|might work|\
    may or may not|theoretically|ungetestet|nicht getestet|bitte testen|bitte teste|\
    bitte prüfen|bitte prüf|bitte ausprobieren|bitte probier|bitte einmal|testen kann ich|\
    ausprobieren konnte ich|sin probar|no lo he probado|por favor prueba|por favor, prueba|\
    por favor verifica|pruébalo|non testé|pas testé|pas pu tester|merci de tester|à tester|\
    peux-tu tester|未测试|没有测试|无法测试|没法测试|无法验证|请测试|请验证|请试|请确认|未検証|未確認|確認できていません|試せません|試していません|\
    テストできません|確認してください|試してください|確認をお願い|ご確認ください|please check on|please check it|\
    please check whether|please check if|please check that|please check|hopefully|\
    have a look before|give it a try|give it a spin|try it out and|once it is deployed|\
    on the real";

/// The agent does not know.
pub(super) const GUESSES: &str = "\
    a guess|best guess|my guess|only guess|guessing|can't reproduce|cannot reproduce|\
    could not reproduce|couldn't reproduce|unable to reproduce|not able to reproduce|\
    wasn't able to reproduce|not reproducible|did not reproduce|didn't reproduce|\
    does not reproduce|doesn't reproduce|could be either|inconclusive|no clear|not conclusive|\
    can't be sure|cannot be sure|not certain|nothing to prove|no proof|can't prove|cannot prove|\
    speculation|hard to say|without more information|nicht reproduzieren|nicht nachstellen|\
    vermutung|no pude reproducir|no puedo reproducir|pas pu reproduire|无法复现|没能复现|无法重现|再現できません|\
    再現しません|no lead|no clue|never failed|never occurred|never happened|did not occur|\
    not find the cause|not find a cause|cause is unclear|cause remains|remains unclear|\
    still unclear";

/// Why something red is nothing to worry about.
pub(super) const EXCUSES: &str = "\
    already failed|already fail|already failing|already red|already broken|already on|\
    failed before|fail before|failing before|fails before|red before|broken before|\
    before the change|before my change|before any change|before this change|before the rename|\
    as before|was there before|pre-existing|preexisting|pre existing|unrelated|not related|\
    nothing to do with|have nothing to do|independent of|same failures|same tests fail|\
    fail the same|fails without|fails as well without|fail without|without my|also fail on|\
    also fails on|fails on main|fail on main|fails on master|on main as well|on main too|\
    also on main|known issue|known failure|known flaky|flaky|as expected|as intended|as wanted|\
    as you asked|as planned|expected to fail|expected failure|fails on purpose|on purpose|\
    intentionally|by design|until the bug|until the fix|until it is implemented|\
    nothing is implemented|not implemented yet|shows the bug|demonstrates|reproduces|\
    hangs reliably|schon vorher|bereits vorher|auch ohne|wie erwartet|wie gewünscht|\
    vorher schon|unabhängig von|hat nichts mit|ya fallaba|ya fallaban|ya estaba|\
    como se esperaba|no relacionado|no está relacionado|échouait déjà|échouaient déjà|\
    déjà rouge|comme prévu|sans rapport|之前就|原本就|本来就|无关|预期|以前から|元から|想定通り|無関係|関係ありません|\
    without the change|without the bump|before i started|before i changed";

/// Some of it is left.
pub(super) const PARTIAL: &str = "\
    the rest is|the rest are|the others still|most of them|part of it|partially|halfway|\
    left alone|left them|left those|left untouched|i skipped|were skipped|still to do|\
    still to come|still missing|remains to be|not done yet|isn't done|your decision|\
    needs a decision|need a decision|depends on a decision|until it is decided|until you decide|\
    incomplete|unfinished|not complete|partially complete|partially done|a first version|\
    nur teilweise|teilweise|der rest|die restlichen|übrig|fehlt noch|fehlen noch|noch offen|\
    habe ich gelassen|el resto|faltan|parcialmente|pendiente|le reste|il manque|il reste|\
    partiellement|reste à|其余|剩下|剩余|还没|尚未|残り|未対応|未完了|i left them|i left those|i left the|\
    i left it|left alone for now|stay as they are for now|are left|is left|not finished|\
    are not done yet|not migrated yet|not converted yet|not done|still need to be|\
    still needs to be|half of the|half of them|the first half|is up to you|are up to you|\
    is your call|up to you|most of the|some of the|what is missing|still is missing|\
    is still missing|are still missing|not included yet|other half|部分完成|还有一部分|一部のみ|\
    have to decide|has to decide|you to decide|yours to decide|have to be decided|\
    must be decided|musst du entscheiden|tienes que decidir|à toi de décider|需要你决定";

/// It is not over yet.
pub(super) const RUNNING: &str = "\
    still running|is still in progress|in the background|will finish|should finish|\
    should be done in|usually takes|kicked off|is queued|has been queued|is underway|under way|\
    until it finishes|when it finishes|once it finishes|once it's done|when it's done|\
    when it is done|once it is done|i'll check back|check back|follow it with|\
    follow the progress|monitor it with|progress with|is running now|are running now|\
    waiting for ci|ci is running|pipeline is running|build is running|job is running|\
    is running;|läuft noch|läuft gerade|im hintergrund|dauert noch|dauert etwa|dauert ca|\
    noch nicht durch|sigue en curso|en curso|en segundo plano|tardará|se está ejecutando|\
    en arrière-plan|tourne encore|prendra|后台|仍在运行|正在运行|正在进行|大约需要|还需要|実行中|進行中|バックグラウンド|かかります|\
    かかる見込み|hours to go|minutes to go|days to go|has been started and|was started and|\
    it will take|will take about|will take around|will take several|will take a few|\
    will take some|will take until|which will take|is in progress|are in progress|in progress;|\
    it takes about|been triggered and|was triggered and|est en cours|toujours en cours|\
    hours left|minutes left|wurde gestartet|ist gestartet und";

/// It is better and worse.
pub(super) const TRADES: &str = "\
    depends on what|depends on which|depends on whether|depends on your|it depends|trade-off|\
    tradeoff|trade off|mixed|inconclusive|no clear winner|on the other hand|matter of taste|\
    better in some|faster but|smaller but|but slower|but larger|but uses more|but the files|\
    but latency|but memory|at the cost of|at the expense of|no significant difference|\
    within the noise|within noise|noisy|kommt darauf an|einerseits|dafür aber|gemischt|depende|\
    por otro lado|ça dépend|en revanche|取决于|各有|一長一短|場合による|トレードオフ|toss-up|toss up|a draw|a wash";

/// The work cannot go on without an answer.
pub(super) const NEEDS: &str = "\
    before i start|before i begin|before i can|before i continue|before i go on|before i do|\
    before i change|before i delete|before proceeding|before i proceed|i need to know|\
    i need you to|i need your|i need more|i'd need|i would need|need to know|please tell me|\
    please provide|please give me|please share|please send|please specify|please clarify|\
    please decide|please choose|please confirm|please paste|please let me know which|\
    please let me know what|please let me know how|tell me which|tell me what|tell me where|\
    tell me how|tell me whether you|let me know which|let me know what|let me know how you|\
    let me know where|let me know whether you|let me know your|which one|which option|\
    which approach|which do you|which would you|which should|which version|which database|\
    what should|what would you|what exactly|where should|how should|how would you|\
    how do you want|do you prefer|would you prefer|do you mean|did you mean|can you share|\
    could you share|can you provide|could you provide|can you tell me|could you tell me|\
    can you paste|could you paste|can you give me|could you give me|waiting for your|\
    awaiting your|once you confirm|once you decide|once you tell|as soon as you|\
    should i go ahead|shall i go ahead|should i proceed|shall i proceed|shall i start|\
    should i start|shall i begin|should i begin|ready to proceed|okay to proceed|ok to proceed|\
    is it ok to|is it okay to|is that ok|is that okay|am i allowed|do you agree|does that sound|\
    does this sound|sound good|1) or|a or b|wo soll|wie soll|was soll|soll ich anfangen|\
    soll ich beginnen|soll ich loslegen|bitte gib|bitte sag|sag mir|cuál|cuáles|qué prefieres|\
    dime|¿procedo|lequel|préfères|j'ai besoin|dis-moi|哪个|哪种|哪一|请告诉|请提供|请选择|需要你|是否继续|要不要继续|どれ|\
    どちら|教えてください|提供して|進めてよい|よろしいですか|what do you want|what do you prefer|antes de empezar|\
    antes de continuar|necesito saber|avant de commencer|avant de continuer|où dois-je|\
    dónde debo|bevor ich anfange|bevor ich beginne|bevor ich loslege|ich brauche noch|\
    ich brauche von dir|welche soll|welchen soll|welches soll|quelle version|quel format|\
    do you have a|do you have the|which of the two|which of these|which of them|どの形式|どのバージョン";

/// More than what was asked for.
pub(super) const OFFERS: &str = "\
    let me know if|want me to|would you like me to|would you like|do you want me to|\
    shall i also|should i also|shall i|should i|anything else|happy to|i can also|if you want|\
    if you like|if you'd like|feel free|soll ich auch|soll ich|möchtest du|wenn du willst|\
    wenn du magst|quieres que|si quieres|¿algo más|veux-tu que|si tu veux|souhaites-tu|需要我|要我|\
    要不要|如果需要|しましょうか|必要であれば|よければ";

/// Openings with which an agent says what comes next.
pub(super) const ANNOUNCES: &str = "\
    let me|now let me|next, let me|i'll|i will|now i'll|now i will|first, i'll|next, i'll|\
    i'm going to|i am going to|i'm checking|i'm running|let's check|now let's|next i'll|next, i|\
    ich werde|first i|first i'll|i'm going|i'd start|i would start|i'd begin|going to|\
    starting with|let me first|ich schaue|ich sehe|ich beginne|ich fange|zuerst|als nächstes|\
    voy a|primero|ahora voy|je vais|d'abord|je commence|我先|我来|我将|接下来|首先|まず|これから|次に|調べます";

/// The work was taken back.
pub(super) const TAKES_BACK: &str = "\
    reverted|rolled back|undone|restored|back to|is back|are back|put back|undid|taken back|\
    zurückgesetzt|rückgängig|wiederhergestellt|revertido|deshecho|restaurado|annulé|restauré|\
    rétabli|回滚|撤销|恢复|还原|戻しました|元に戻";
