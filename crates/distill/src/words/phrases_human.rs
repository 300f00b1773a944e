//! What people say about work: lower case, whole words, bars between them.

/// Content with the work.
pub(super) const HAPPY: &str = "\
    thanks|thank you|thx|cheers|it works|working now|works now|perfect|awesome|excellent|\
    amazing|nice work|nice one|lgtm|looks good|look good|looks great|look great|looking good|\
    well done|good job|great job|beautiful|brilliant|fantastic|wonderful|love it|ship it|\
    merge it|that did it|that fixed it|all good|good work|all set|we're done|we are done|\
    that's all|happy with|exactly what i|problem solved|passes now|passing now|all green|\
    much better|sweet|you rock|nailed it|spot on|danke|vielen dank|passt|klasse|prima|sehr gut|\
    gracias|perfecto|genial|excelente|muy bien|merci|parfait|ça marche|obrigado|grazie|谢谢|感谢|很好|\
    太好了|完美|可以了|好的谢谢|ありがとう|спасибо|works|great|nice|cool|super|solved|merged|ty|tysm|thnx|thanx|\
    tks|thks|thankyou|tyvm|funktioniert|läuft|funciona|fixed it|that's it|working perfectly|\
    works fine|works like a charm|works great|it's working|its working|working again|\
    works again|good to go|good stuff|good catch|good enough|looks right|looks perfect|\
    that's right|that's correct|exactly right|approved|approve|pefect|prefect|perfekt|perfct|\
    awsome|gr8|noice|neat|lovely|superb|stellar|legend|lifesaver|life saver|you saved me|\
    saved my day|hero|chef's kiss|bravo|yay|woohoo|hooray|yes!|does the trick|did the trick|\
    that helps|that helped|helpful|very helpful|appreciate it|appreciated|much appreciated|\
    happy now|i like it|like it|loving it|merging|i'll merge|deployed fine|shipped|accepted|\
    confirmed|can confirm|resolved|fixed now|fixed for me|works for me|wfm|all good now|\
    problem gone|issue gone|case closed|closing this|close this|closing the ticket|we can close|\
    done and dusted|makes sense|understood|got it|ah i see|good answer|clear now|crystal clear|\
    that explains it|that answers it|good to know|dankeschön|danke dir|dank dir|besten dank|\
    passt so|geht jetzt|jetzt geht|geht wieder|jetzt klappt|klappt|klappt jetzt|tut jetzt|\
    spitze|wunderbar|einwandfrei|genau so|genau das|perfekt danke|alles gut|alles klar|\
    alles klar danke|sieht gut aus|gefällt mir|stimmt so|stimmt jetzt|freigegeben|ya funciona|\
    funciona bien|funciona perfecto|muchas gracias|mil gracias|estupendo|buenísimo|fenomenal|\
    de lujo|todo bien|quedó bien|quedó perfecto|ahora sí|me gusta|está bien|así es|nickel|\
    génial|impeccable|au top|c'est bon|ça fonctionne|tout est bon|je valide|validé|top merci|\
    excellent travail|merci beaucoup|bien joué|ça roule|obrigada|valeu|perfeito|funcionou|ótimo|\
    deu certo|perfetto|funziona|ottimo|grazie mille|dzięki|dank je|bedankt|werkt|tack|работает|\
    отлично|супер|kiitos|teşekkürler|没问题|很棒|不错|搞定|好了|解决了|成功了|正常了|对了|可以用|棒|太棒|牛|厉害|辛苦了|多谢|谢了|\
    助かりました|助かります|完璧|動きました|直りました|できました|いい感じ|素晴らしい|大丈夫です|バッチリ|うまくいきました|最高|ありがと|感謝|問題ない|問題ありません|\
    解決しました|よさそう|감사합니다|고마워|잘 됩니다|완벽|👍|👌|✅|🎉|🙏|❤|💯|🚀|😍|🥳|🙌|👏|💪|😊|😀|😄|🔥|⭐|✨|merge this|merge|\
    exactly!|top!";

/// Not content with the work.
pub(super) const UNHAPPY: &str = "\
    doesn't work|does not work|doesnt work|don't work|didn't work|did not work|not working|\
    isn't working|isnt working|won't work|still broken|still failing|still fails|still fail|\
    still failed|still wrong|still not|still doesn't|still doesnt|still does not|still getting|\
    still see|still seeing|still happens|still happening|still the same|still an error|\
    still crashes|still crashing|same error|same problem|same issue|same result|that's wrong|\
    that is wrong|thats wrong|this is wrong|it's wrong|is incorrect|that's not right|\
    that is not right|not right|not correct|not what i|not what we|isn't what i|you broke|\
    it broke|this broke|broke the|now it's broken|is broken|it's worse|worse than|made it worse|\
    terrible|useless|awful|horrible|bad idea|you're wrong|you are wrong|completely wrong|\
    all wrong|revert that|revert this|revert it|revert everything|revert all|revert your|\
    undo that|undo this|undo it|undo your|undo all|rollback that|you didn't|you did not|\
    you forgot|you missed|you ignored|why did you|i didn't ask|i did not ask|didn't ask you|\
    that's not what|wtf|fails again|failing again|no luck|nothing changed|doesn't compile|\
    does not compile|doesn't build|does not build|crashed again|this sucks|disappointed|\
    frustrating|not fixed|isn't fixed|wasn't fixed|not solved|not helpful|not good|\
    funktioniert nicht|geht nicht|geht immer noch nicht|immer noch|falsch|stimmt nicht|kaputt|\
    no funciona|sigue fallando|está mal|incorrecto|ne marche pas|ne fonctionne pas|toujours pas|\
    c'est faux|不行|不对|错了|还是不|没有用|还是报错|не работает|doesn't do|does nothing|did nothing|doesnt do|\
    nothing happens|nothing happened|no effect|no difference|still no|still nothing|still shows|\
    still shown|still there|still here|still hangs|still hanging|still slow|still red|still get|\
    still can't|still cannot|still cant|still isn't|still isnt|still using|still have|still has|\
    still missing|still off|still empty|still blank|still crash|still two|still only|\
    still throws|still says|still returns|still doing|still stuck|still errors|still error|\
    still times|not a fix|not the fix|no fix|not acceptable|unacceptable|not ok|not okay|\
    not good enough|not what|not how|isn't right|isn't what|aint working|ain't working|\
    doenst work|dosent work|doesn't wrok|dont work|didnt work|didnt help|didn't help|\
    did not help|doesn't help|does not help|doesnt help|not helping|can't use this|can't use it|\
    unusable|won't start|wont start|won't compile|won't build|won't run|won't load|won't open|\
    fails to|failed again|fails with|fails on|failing on|fails for|crashing|crashed|crash again|\
    broken again|broke again|broken now|now broken|got worse|even worse|worse now|is worse|\
    it's back|is back|came back|back again|happening again|happens again|wrong again|wrong file|\
    wrong one|wrong place|wrong direction|wrong order|is wrong|are wrong|was wrong|wrong|\
    incorrect|broken|you skipped|you deleted|you removed|you hardcoded|you hard-coded|you faked|\
    you lied|you made up|you invented|you hallucinated|hallucinated|made that up|made it up|\
    doesn't exist|does not exist|cheating|cheated|that's not|thats not|that is not|it's not|\
    this is not|this isn't|that isn't|not at all|absolutely not|no good|no way|hell no|no no|\
    no!|noo|nooo|rejected|reject this|i reject|not merging|won't merge|can't merge|don't merge|\
    do not merge|had to roll|rolled back|roll it back|rolling back|had to revert|reverted it|\
    reverted this|reverting|had to undo|i undid|undo everything|undo the|revert the|\
    please revert|revert please|just revert|put it back|change it back|back to how|back the way|\
    take it back|back out|took down|took prod|took production|brought down|is down|went down|\
    outage|data loss|lost data|lost my|lost all|wiped|destroyed|ruined|messed up|screwed|\
    screwed up|fucked|ffs|garbage|crap|rubbish|nonsense|pointless|ridiculous|waste of time|\
    disappointing|bad job|sloppy|ugly|horrid|thanks for nothing|meh|ugh|sigh|argh|not impressed|\
    unimpressed|give me a break|seriously?|are you serious|are you kidding|you kidding|\
    is this a joke|missing the point|missed the point|misunderstood|not asked|never asked|\
    i asked for|i said|i told you|as i said|how many times|👎|😡|😠|🤬|🤦|😞|😢|😭|💩|❌|:(|:-(|:/|🙁|☹|😤|\
    😩|😒|gehen nicht|klappt nicht|funktioniert leider|funktioniert noch|geht noch immer|\
    geht leider|nach wie vor|weiterhin|noch immer|tut nicht|tut's nicht|läuft nicht|passt nicht|\
    stimmt so nicht|nicht richtig|nicht was ich|nicht gut|nicht das|so nicht|nicht gefixt|\
    falsche|falscher|schlechter|schlimmer|mach das rückgängig|rückgängig|zurücknehmen|mist|\
    quatsch|blödsinn|unbrauchbar|kommt wieder|leider nicht|bringt nichts|hat nichts gebracht|\
    keine änderung|keine besserung|hilft nicht|nein,|stürzt ab|abgestürzt|bricht ab|no funcionó|\
    no funcionan|no sirve|no sirvió|sigue igual|sigue sin|sigue dando|sigue roto|\
    sigue apareciendo|todavía no|aún no|tampoco|peor|no es lo que|mal hecho|lo rompiste|\
    se rompió|roto|rota|no arranca|no compila|no carga|no aparece|deshazlo|revierte|no me gusta|\
    está roto|marche pas|fonctionne pas|marche toujours pas|marche plus|ne marche plus|\
    fonctionne plus|j'ai toujours|toujours le même|toujours la même|même erreur|encore cassé|\
    cassé|pas bon|c'est pas|ce n'est pas|pas ce que|pas du tout|annule|reviens en arrière|pire|\
    ça plante|plante toujours|ça bug|non,|ne change rien|rien ne|aucun changement|\
    n'importe quoi|faux|não funciona|não funcionou|errado|non funziona|sbagliato|peggio|\
    ancora rotto|werkt niet|nie działa|не помогло|всё ещё|неправильно|funkar inte|çalışmıyor|没用|\
    没有变化|没什么变化|没变化|没反应|没效果|还是一样|还是很|还是有|还是没|仍然|依然|报错|坏了|崩溃|失败|不能用|不工作|不是我|不好|不起作用|回滚|撤销|撤回|改回|\
    太慢|更慢|更糟|有问题|不正确|无效|没解决|没修好|没成功|違います|違う|ちがう|まだ|動かない|動きません|動いてない|動いていません|直っていません|直ってない|直らない|\
    変わっていません|変わらない|変わってない|ダメ|だめ|駄目|おかしい|エラーが|壊れ|戻して|元に戻|できない|できません|できていません|間違|失敗|落ちる|落ちます|\
    表示されない|表示されません|ひどい|안 됩니다|안돼|안 돼|여전히|took the shop|took the site|nope|you just skipped|\
    you just deleted|you just disabled|roll this back|still the old|is no change|\
    no change at all|who asked|did you even|do you even|what the hell|what the heck|how is this|\
    how is that|what happened to|where did|where is my|where are my";

/// Lets the matter drop.
pub(super) const GIVES_UP: &str = "\
    never mind|nevermind|nvm|forget it|forget about it|forget this|let's stop|lets stop|\
    stop here|stop for now|leave it there|give up|i give up|giving up|let's drop|drop it|\
    drop this|not worth it|abandon this|abandon it|i'll do it myself|i will do it myself|\
    do it myself|i'll do it manually|i'll handle it|another time|come back to this later|\
    come back to it later|pick this up later|pick it up later|pick this up tomorrow|\
    continue tomorrow|continue later|later then|pause here|pause this|cancel that|cancel this|\
    scrap it|scrap this|scrap that|skip it for now|don't bother|no longer needed|\
    not needed anymore|not needed any more|vergiss es|lass es|lassen wir|déjalo|olvídalo|\
    laisse tomber|算了|不用了|nevermnd|nvmd|never mind that|no longer necessary|no longer relevant|\
    not relevant anymore|not relevant any more|isnt needed|don't need it|don't need this|\
    dont need it|dont need this|we don't need|no need for this|no need anymore|\
    not required anymore|cancel it|abort this|let's not|lets not|let's leave it|\
    leave it for now|leave it for today|leave it like|leave it be|leave it at that|leave that|\
    let it be|let it go|let's skip|skip this|skip it|skip that|forget that|forget about this|\
    forget about that|scratch that|i'll do this myself|i'll do that myself|do this myself|\
    do that myself|by hand|i'll take over|i'll take it from here|i'll take care of|\
    take it from here|i'll write it|i fixed it|found it myself|figured it out|has one already|\
    have one already|already has|already have one|going with something else|decided against|\
    decided not to|changed my mind|change of plans|plans changed|on second thought|\
    deprioritized|on hold|put on hold|hold off|put this off|put it off|postpone|postponed|\
    park this|park it|parked|shelve|shelved|shelving|table this|another day|some other time|\
    some other day|until after|after the release|later today|do this later|do it later|\
    back to this|back to it|back later|not today|not now|out of time|gotta go|got to go|\
    have to go|have to run|need to run|have a meeting|need to leave|going home|call it a day|\
    enough for today|enough for now|that's enough|stop there|stop working|stop,|please stop|\
    just stop|let's stop here|wrap up here|end here|too expensive|too complicated|too much work|\
    not worth the|isn't worth|kill it|kill this|dropping this|dropping it|won't be needed|\
    pull the plug|closing the session|wrong window|wrong session|wrong repo|wrong project|\
    wrong chat|wrong terminal|oops wrong|ach egal|lass mal|lass gut sein|lassen wir das|\
    lassen wir's|lass stecken|hat sich erledigt|erledigt sich|brauche ich nicht mehr|\
    brauchen wir nicht|nicht mehr nötig|nicht mehr gebraucht|mach ich selbst|mache ich selbst|\
    mach ich selber|mache ich selber|ein andermal|abbrechen|abbruch|vergiss das|stopp|\
    verschieben|nächste woche|muss los|feierabend|reicht für heute|doch nicht|dejémoslo|\
    lo dejamos|déjalo así|ya no hace falta|no hace falta|ya no lo necesito|lo hago yo|yo mismo|\
    más tarde|luego lo|otro día|cancela|cancélalo|mejor no|para ya|detente|lo dejo|oublie|\
    on laisse|plus besoin|pas besoin|je le fais|je vais le faire|moi-même|plus tard|\
    une autre fois|tant pis|on arrête|arrête|annulé|je m'en occupe|on verra plus tard|esquece|\
    não precisa|lascia stare|lascia perdere|non serve più|laat maar|забудь|не надо|неважно|先不|\
    不弄了|不做了|不需要了|别弄了|我自己|自己来|自己弄|下次|取消|放弃|改天|晚点|先放|等以后|やめて|やめる|やめます|やめとく|やっぱりいい|もういい|もういいです|\
    いらない|必要なくなり|自分で|後で|あとで|また今度|キャンセル|中止|結構です|됐어|그만|나중에|find it myself|fixed it myself|\
    i'll fix it myself|i fixed it myself|cancelled the|canceled the|was cancelled|was canceled|\
    got cancelled|been cancelled|i found it|i'd rather do|rather do it|rather do that|\
    will do it myself|it myself|them myself|do tomorrow|try tomorrow|go on tomorrow|\
    finish tomorrow|finish this tomorrow|do this tomorrow|do it tomorrow|resume tomorrow|\
    pick up tomorrow|back tomorrow|let's do this tomorrow|more tomorrow|this next week|\
    it next week|do it next|ist egal|egal,|morgen weiter|machen wir morgen|mach ich morgen|\
    später weiter|machen wir später|mañana sigo|mañana seguimos|demain on|on verra demain|\
    on continue demain|ne plus besoin|不要了|明天再|以后再说|停下|明日に|明日やり|明日また|not needed now|\
    not needed after all|someone else did|someone else fixed|someone else is|someone already|\
    colleague already|colleague did|colleague fixed|isn't needed any|is not needed any|\
    is obsolete|is moot|went with|we went with|we're going with|dropped the|dropped it|\
    dropping the|stop, |don't do it|don't continue|do not continue|no need to continue|\
    don't go on|found it|nvm found it";

/// Going on with it; on another day it is put off.
pub(super) const RESUMES: &str = "\
    pick|continue|resume|carry on|finish|go on|get back|come back|do this|do it|do that|tackle|\
    weitermachen|weiter|seguimos|sigo|continuer|reprend|继续|続き";

/// Not now.
pub(super) const OTHER_DAYS: &str = "\
    monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|later|next week|\
    next month|next sprint|another|after lunch|after the|tonight|morgen|später|montag|dienstag|\
    mittwoch|donnerstag|freitag|nächste woche|mañana|más tarde|lunes|viernes|demain|plus tard|\
    lundi|vendredi|明天|以后|下周|明日|後で|来週";

/// Will find out some other time.
pub(super) const WAITS: &str = "\
    we'll see|we will see|i'll see|let's see|will see|and see|see whether|let me think|\
    think about it|think about this|think it over|sleep on it|have to think|need to think|\
    i'm not sure|unsure|hard to say|hard to tell|cannot tell|no idea|i'll check|i will check|\
    will check|let me check|i'll test|i will test|will test|let me test|i'll try|i will try|\
    will try|let me try|i'll have a look|i'll take a look|take a look later|i'll look|\
    will look at|i'll review|will review|let me review|i'll read|i'll verify|will verify|\
    i'll let you know|let you know|report back|get back to you|i'll ask|will ask|let me ask|\
    ask the team|ask around|check with|run it by|i'll deploy|deploy it tonight|need to test|\
    have to test|haven't tested|haven't tried|not tested yet|can't test|cannot test|waiting for|\
    wait and see|time will tell|mal sehen|mal schauen|schauen wir|schau ich|schaue ich|\
    ich schau|ich schaue|ich teste|teste ich|werde testen|probiere ich|ich probiere|ich probier|\
    melde mich|gucke ich|muss ich testen|muss überlegen|überlege|ich frage|ich frag|ya veremos|\
    a ver|lo pruebo|lo probaré|voy a probar|te aviso|déjame pensar|lo reviso|lo miro|on verra|\
    je teste|je vais tester|je vais voir|je regarde|je te dis|à voir|je réfléchis|vou testar|\
    vediamo|我试试|试一下|我看看|再看|想想|考虑|测试一下|試してみ|試します|確認します|確認してみ|様子を見|考え|見てみます|検討|see if it|\
    see how it|see how this|not sure yet|not sure about|再看看|discuss it|discuss this|\
    discuss with|talk to the|i'm unsure";

/// Thanks for an attempt.
pub(super) const COURTESY: &str = "\
    thanks anyway|thank you anyway|thx anyway|thanks for trying|thank you for trying|\
    thx for trying|thanks for the try|thanks for the effort|thanks for your effort|\
    appreciate the effort|appreciate you trying|thanks for the attempt|thanks though|good try|\
    nice try|worth a try|worth a shot|oh well|too bad|shame|pity|what a pity|not your fault|\
    can't be helped|trotzdem danke|danke trotzdem|danke für den versuch|schade|\
    gracias de todos modos|gracias igualmente|gracias de todas formas|gracias por intentar|\
    qué pena|merci quand même|merci d'avoir essayé|dommage|obrigado mesmo assim|grazie comunque|\
    还是谢谢|可惜|残念|とりあえずありがとう";

/// Praise that is none.
pub(super) const MOCKS: &str = "\
    🙄|🤡|lol|lmao|rofl|slow clap|/s|yeah right|oh great|oh wow|wow.|just great|\
    just what i needed|just perfect|how creative|very creative|how original|very helpful, not|\
    real helpful|really helpful, thanks for nothing|thanks for nothing|thanks a lot for|\
    great job breaking|nice job breaking|good job breaking|brilliant. really|fantastic. really|\
    impressive, now|na toll|na super|ja super|ganz toll|menudo|super, maintenant|呵呵|真行|さすがですね|\
    so creative|congrats, you|congratulations, you|genius move|well that's just|wow, so|\
    wow, just|wow, thanks for";

/// Says that it works, beyond courtesy.
pub(super) const CONFIRMS: &str = "\
    works|working|worked|it's fixed|is fixed|fixed it|solved|resolved|passes|green|confirmed|\
    merge|merged|ship it|perfect|great|awesome|exactly|lgtm|funktioniert|klappt|läuft|\
    geht jetzt|perfekt|funciona|perfecto|marche|fonctionne|parfait|可以了|好了|解决|完美|動きました|直りました|完璧|\
    🎉|👍";

/// Hints that it went well, if nothing speaks against it.
pub(super) const GOOD_SIGNS: &str = "\
    green|is green|all green|passes|pass now|no more|no errors|no error|no issues|no issue|\
    no problems|no complaints|no warnings|gone now|is gone|are gone|went away|disappeared|\
    stable|steady|faster|much faster|snappy|smooth|arrives|arrive now|arrived|loads now|\
    shows up now|shows now|starts now|builds now|compiles|compiles now|runs now|ran fine|\
    runs fine|running fine|fine now|good now|correctly|properly|as expected|as it should|\
    every time|each night|each day|all week|customer is happy|client is happy|team likes|\
    prod looks|in production now|live now|it's live|is live|went live|shipped|landed|\
    went through|went well|accepts it|accepted it|she can|he can|they can|i can see it|\
    i see it now|see it now|i can log in|can log in|again now|yes|yep|yup|yeah|jep|ja|jup|sí|\
    oui|はい|是的|finally|at last|endlich|por fin|enfin|终于|ok now|okay now|now ok|sieht gut|\
    wieder da|grün|schneller|verde|rápido|correcto|bien|vert|plus rapide|d'accord|正常|通过|速く|良い|\
    いいです|flat|better now|feels better|looks better|good|fine|loads fine|fast again|quick now|\
    loads in|boots fine|boots again|可以了|好的|好了|without trouble|without problems|\
    without any problem|without issues|without any issue|without a problem|without errors|\
    without a hitch|ohne probleme|sin problemas|sans problème|how i imagined|what i wanted|\
    what i needed|no trouble";

/// Hints that something is wrong, in a remark about finished work.
pub(super) const BAD_SIGNS: &str = "\
    not|isn't|doesn't|don't|didn't|won't|can't|cannot|couldn't|wasn't|aren't|haven't|hasn't|\
    doesnt|dont|didnt|wont|cant|isnt|wasnt|never|nothing|nobody|nowhere|no longer|missing|\
    misses|lost|lose|loses|empty|blank|white page|black screen|error|errors|errored|exception|\
    traceback|stack trace|panic|panics|segfault|undefined|nan|404|500|403|401|502|timeout|\
    timed out|times out|fail|fails|failed|failing|failure|crash|crashes|bug|bugs|buggy|broke|\
    breaks|corrupt|corrupted|duplicate|duplicated|duplicates|twice|still|stuck|hangs|hang|\
    freezes|frozen|freeze|slow|slower|worse|invalid|must be|should be|should have|should not|\
    shouldn't|supposed to|instead|instead of|unexpected|weird|strange|off by|only|except|\
    overlap|overlaps|cut off|flicker|flickers|leak|leaks|leaking|conflict|conflicts|rejects|\
    refuses|refused|denied|complains|complaint|complaints|users report|customers report|\
    reported|had to|useless|the old|unchanged|hidden|invisible|unreadable|wrongly|incorrectly|\
    wiped|overwrote|overwritten|reverted|blocked|vanished|regression|regressed|kein|keine|\
    keinen|nicht|nichts|fehlt|fehlen|fehler|leider|leer|doppelt|immer noch|absturz|langsam|\
    statt|verschwunden|zweimal|falta|vacío|vacía|otra vez|lento|sigue|siguen|nada|nunca|todavía|\
    pas|rien|toujours|erreur|manque|vide|lent|disparu|不|还|錯|错|空白|慢|丢|重复|ない|ません|なく|エラー|遅い|消え|二重|\
    too much|too many|too long|too short|too big|too small|too slow|too late|too early|too wide|\
    too high|too low|too verbose|way too|far too|is gone now|are gone now|my data|deleted my|\
    deleted the|removed the|is red|are red|turned red|went red|ci is red|expected the|\
    i expected|is null|没有|没了|table locked|got locked|is locked|even though|no data|no output|\
    no result|no results|no sound|no image|no rows|no response";

/// Nods; a message made of nothing else takes what was said.
pub(super) const ACCEPTS: &str = "\
    ok|okay|k|kk|okey|oki|okay then|ok then|ok cool|yes|yep|yup|yeah|ya|y|sure|right|alright|\
    all right|fine|got it|gotcha|i see|ah|aha|oh|makes sense|understood|noted|fair|fair enough|\
    cool|good|great|nice|sounds good|sounds right|sounds reasonable|roger|ack|acknowledged|\
    copy that|that's fine|that works|works for me|good to know|will do|agreed|true|indeed|clear|\
    thanks|thx|ty|ja|jo|jep|okay danke|gut|verstanden|klar|alles klar|in ordnung|einverstanden|\
    sí|si|vale|de acuerdo|entendido|claro|bueno|bien|oui|d'accord|ok merci|compris|entendu|好|好的|\
    好吧|行|嗯|可以|明白|明白了|知道了|懂了|了解|收到|はい|了解です|了解しました|わかりました|分かりました|承知しました|なるほど|オーケー|네|да|ок|👍|👌|✅|🙂|\
    😊|🙏|💯|🎉|🚀|❤|♥|🙌|👏|😀|😄|🔥|🥳|💪|🆗|☑|✔|top|prima|super|perfekt|perfect|genial";

/// Openings that turn an offer down.
pub(super) const DECLINES: &str = "\
    no need|no thanks|no, thanks|no thank you|no, thank you|no, that's fine|no, that's all|\
    no, that's it|no it's fine|no, it's fine|no, it's ok|no, all good|no, i'm good|no i'm good|\
    nah, that's|nah that's|nah it's|nah, it's|nah, all good|nah i'm good|nah, i'm good|nah fine|\
    nah, fine|no, not necessary|not necessary|no, fine|no fine|no, leave it|no leave it|\
    leave it as is|leave it like this|no, that'll do|that'll do|that will do|no, enough|no more|\
    nothing else|nope, that's|nope that's|nope, all|nope all good|nope thanks|nope, thanks|\
    no, i'll commit|i'll commit|i'll push|i will commit|i'll merge|nein danke|nein, danke|\
    nein passt|nein, passt|nein, das reicht|nein, das war's|das war's|das wars|reicht so|\
    passt so|nicht nötig|no, gracias|no gracias|no hace falta|no, así está bien|así está bien|\
    non merci|non, merci|pas la peine|c'est bon|ça ira|不用了谢谢|不用谢谢|不用，谢谢|不用了，谢谢|大丈夫です|結構です|\
    いえ、大丈夫|no that's fine|no that's all|no that's it|no that's ok";

/// Openings that only ask to go on.
pub(super) const CONTINUES: &str = "\
    go on|continue|carry on|keep going|go ahead|proceed|resume|go|do it|yes|yes please|\
    yes, please|yep|yeah|sure|ok|okay|please do|please continue|try again|retry|again|next|\
    mach weiter|weiter|ja|ja bitte|los|sigue|continúa|adelante|dale|continue stp|vas-y|oui|\
    continuer|继续|接着|続けて|続行|お願いします|はい|1|2|3|a|b|c|option";

/// What comes after these is what matters.
pub(super) const CONTRASTS: &str = "\
    but|however|except|although|aber|allerdings|nur dass|pero|sin embargo|mais|cependant|但|不过|\
    可是|でも|けど|しかし|ただ|wait|unfortunately|leider";

/// Openings of a wish.
pub(super) const ORDERS: &str = "\
    now|also|next|and|then|add|fix|make|change|remove|delete|rename|update|write|create|try|run|\
    show|move|put|build|test|check|find|explain|look|give|tell|list|open|commit|push|deploy|\
    merge|implement|refactor|convert|replace|clean|sort|split|document|publish|release|start|\
    let's|lets|can|could|would|will|please|pls|how|what|which|where|when|who|is there|are there|\
    does|i want|i need|i'd like|we need|we want|one more|another|after that|kannst|könntest|\
    bitte|mach|füge|jetzt|und|dann|ändere|lösche|schreib|zeig|erstelle|wie|was|ahora|y|también|\
    puedes|agrega|añade|haz|cambia|cómo|qué|maintenant|et|ajoute|fais|peux|comment|quel|接下来|然后|\
    再|请|帮|把|给|次|それから|あと|use|set|do the|do this";

/// Wants the work taken back.
pub(super) const UNDOES: &str = "\
    revert|revert it|undo|roll back|roll it back|rollback|put it back|back out|change it back|\
    take it back|rückgängig|zurücksetzen|mach das zurück|deshaz|deshazlo|revierte|annule|\
    reviens|回滚|撤销|撤回|改回|戻して|元に戻";

/// Asks for something more.
pub(super) const ASKS_MORE: &str = "\
    can you|could you|would you|will you|please|also|next|now|kannst du|könntest du|bitte|\
    puedes|podrías|peux-tu|pourrais-tu|能不能|可以|还能";

/// Openings of an objection.
pub(super) const OBJECTS: &str = "\
    no|nope|wrong|stop|wait|hold on|hmm no|actually|undo|revert|i said|i told you|i meant|\
    i mean|i asked|i wanted|not like that|that's not|thats not|that is not|this is not|\
    this isn't|that isn't|it's not|you should have|you shouldn't|you weren't|don't do that|\
    don't use|why are you|why did you|why is it still|why would you|what are you doing|\
    instead of|rather than|it should be|should be|you changed|you deleted|you removed|you broke|\
    nein|falsch|nicht so|eigentlich|no es|non|不是|不对|错";

/// Openings that look like an objection and are none.
pub(super) const NOT_OBJECTING: &str = "\
    no problem|no worries|no need|no issues|no thanks|no, thanks|no that's fine|no, that's fine|\
    no that's all|no, that's all|no, all good|no its fine|no it's fine|no, it's fine|\
    no, looks good|no further|no more|no rush|wait for|stop here|actually works|\
    actually looks good|nein danke";
