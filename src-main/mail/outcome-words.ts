/**
 * What mail servers say, sorted by what they mean: wording comes first, since codes are used for everything (FINDINGS 7).
 * Pure. Texts are compared in lower case without accents.
 */

/** What an answer speaks of. `null` where its words tell nothing. */
export type Wording =
  | 'mailbox-full' // of this recipient
  | 'recipient-busy' // this recipient gets too much at the moment
  | 'unknown-recipient'
  | 'greylisted'
  | 'sender-refused'
  | 'relay-refused'
  | 'login-needed'
  | 'throttled'
  | 'message-refused' // its size or its form, for good
  | 'policy' // content or reputation: may change
  | null;

/** In this order: the first list with a match decides. */
const wordings: readonly (readonly [Exclude<Wording, null>, RegExp])[] = [
  [
    'recipient-busy',
    /(?:user|recipient|mailbox) (?:you are trying to contact )?is (?:receiving|getting) (?:mail|too many|messages)|too many (?:messages|mails) (?:for|to) (?:this|that|the) (?:recipient|user|mailbox)|recipient[^.]{0,30}(?:rate|flood)|mailbox (?:is )?(?:temporarily )?(?:busy|locked)|(?:postfach|mailbox)[^.]{0,20}(?:gesperrt|beschaftigt)/,
  ],
  [
    'mailbox-full',
    /^(?!.*(?:\bsending|\bsent\b|outgoing|hourly|daily|per (?:day|hour|minute))).*?(?:(?:mail ?box|account|recipient|user|inbox|maildir|postfach|postkorb|schrankka|boite|buzon|casella|caixa|skrzynka)[^.]{0,40}(?:is |est |ist |esta |e |je |jest )?(?:over[- ]?quota|quota|full|exceeded|exceeds|voll|uberfullt|pleine|lleno|llena|piena|cheia|plna|preplnena|zaplnena|pelna|przepelniona)|(?:over[- ]?quota|quota exceeded|quota full|disk quota)(?![^.]{0,40}(?:send|sent|outgoing|hour|day|daily))|(?:out of|insufficient|not enough) (?:disk |storage |mailbox )(?:space|storage|quota)(?: (?:in|for) (?:the )?(?:mailbox|user|recipient))|user[^.]{0,20}(?:storage|quota)|uberschreitet.{0,20}(?:quota|speicher)|quota de (?:la boite|almacenamiento))/,
  ],
  [
    'greylisted',
    /gr[ae]y[- ]?list|gr[ae]ylst|postgrey|sqlgrey|milter-greylist|try again (?:later|in \d+ ?(?:sec|min|s\b))[^.]{0,40}(?:first time|new sender)|first time[^.]{0,60}try again|unknown triplet|please (?:retry|try again|come back)[^.]{0,20}(?:in )?\d+ ?(?:s\b|sec|min|m\b)|temporarily deferred[^.]{0,30}(?:retry|again) in|graue liste|grau(?:e|er)? list|sediv\w* (?:list|seznam)|liste grise|mise en liste grise|lista gris|lista grigia|lista cinza|lista cinzenta|szara lista|szarej li/,
  ],
  [
    'relay-refused',
    /relay(?:ing)?(?: access)? (?:is )?(?:denied|not (?:permitted|allowed|authorized)|prohibited|refused|rejected)|(?:unable|not allowed|not permitted|cannot) to relay|(?:we )?do(?:es)? not relay|relaying (?:mail )?(?:to|through)|no relaying|(?:not in|isn'?t in) my list of allowed rcpthosts|rcpthosts|not (?:an )?open relay|relay access|weiterleit\w+ (?:verweigert|nicht erlaubt)|relais refuse|reenvio denegado/,
  ],
  [
    'login-needed',
    /auth(?:entication|orization)? (?:is )?(?:required|needed)|must (?:first )?(?:authenticate|log ?in|issue a starttls)|(?:please )?(?:authenticate|log ?in) first|(?:user(?:name)? (?:and|or) )?password not accepted|(?:bad|invalid|incorrect|wrong) (?:login|username|user name|user|password|credentials)|authentication (?:failed|failure|unsuccessful|rejected|credentials invalid)|not logged in|client host(?: \S+)? rejected|sender verify needs auth|anmeldung (?:erforderlich|fehlgeschlagen)|authentifizierung|autentizace|authentification (?:requise|echouee)|autenticacion|autenticazione|autenticacao|uwierzytelni|account (?:is )?(?:disabled|suspended|locked|blocked)[^.]{0,30}(?:send|smtp|login)?$|konto (?:ist )?gesperrt/,
  ],
  [
    'throttled',
    new RegExp(
      [
        'throttl',
        'too many (?:login|auth)',
        // Postfix's own counters of one client
        'too much mail',
        'too many (?:recipients|new tls sessions) from',
        'too many (?:concurrent |simultaneous |parallel |open )?(?:smtp )?(?:connections|sessions)',
        'too many (?:messages|mails|emails|e-mails|requests|recipients (?:this|per|in the last|within|today)|deliver)',
        'too (?:fast|quickly|frequent)',
        'slow(?:ing)? down',
        '(?:rate|sending|send|message|messages|mail|email|hourly|daily|connection|submission|outgoing|outbound|recipient|smtp)[- ]?(?:rate )?(?:limit|quota|cap|allowance)',
        'limit(?:s)? (?:on|of|for) (?:the )?(?:number of )?(?:messages|mails|emails|recipients|sending|connections)',
        '(?:exceed\\w*|reached|over|hit)[^.]{0,40}(?:limit|quota|maximum|max)[^.]{0,40}(?:hour|day|minute|send|sent|messages|mails|emails|rate|connections?)',
        '(?:limit|quota|maximum)[^.]{0,40}(?:per|an|each|every) (?:hour|day|minute)',
        '(?:quota|limit) (?:of|for|on) (?:sending|sent|outgoing)',
        'rate (?:is )?(?:exceeded|limited|control)',
        'ratelimit',
        'unusual rate of',
        'deferred due to (?:volume|user complaints)',
        'temporarily rate',
        'try again (?:tomorrow|in an hour)',
        // German
        'zu viele (?:e-?mails|mails|nachrichten|verbindungen|anmeldungen|empfanger)',
        '(?:versand|sende|nachrichten|stunden|tages)-?\\s?(?:limit|kontingent|quota|grenze)',
        '(?:limit|grenze|kontingent)[^.]{0,30}(?:uberschritten|erreicht)',
        'zu schnell',
        // Czech, Slovak
        'prilis mnoho',
        'prekrocen\\w*[^.]{0,30}(?:limit|kvot|pocet)',
        '(?:limit|kvot)\\w*[^.]{0,40}(?:prekroc|vycerpan|dosazen)',
        'prilis rychle',
        // French
        'trop de (?:messages|mails|courriels|connexions|destinataires|requetes)',
        '(?:limite|quota) (?:d.envoi|horaire|journali)',
        'limite[^.]{0,30}(?:atteinte|depassee)',
        'debit[^.]{0,20}(?:limite|depasse)',
        // Spanish, Portuguese
        'demasiad[oa]s (?:mensajes|correos|conexiones|destinatarios)',
        'muchos (?:mensajes|correos)',
        'limite de (?:envio|mensajes|correos|conexiones|mensagens|emails|e-mails|conexoes)',
        '(?:excedido|superado|excedeu|ultrapass\\w+|atingi\\w+)[^.]{0,30}(?:limite|cuota|cota|quota)',
        'limite[^.]{0,30}(?:excedido|superado|alcanzado|atingido|ultrapassado)',
        'muit[oa]s (?:mensagens|conexoes|e-?mails|destinatarios)',
        // Italian
        'tropp[ei] (?:messaggi|email|e-mail|connessioni|destinatari|invii)',
        'limite (?:di invio|orario|giornaliero)',
        '(?:limite|quota)[^.]{0,20}(?:superat|raggiunt)',
        // Polish
        'zbyt (?:wiele|duzo|szybko)',
        '(?:przekroczon\\w+|osiagniet\\w+)[^.]{0,30}(?:limit|liczb)',
        'limit[^.]{0,30}(?:przekroczon|wyslan|wiadomosci)',
        // Dutch, Swedish, Hungarian
        'te veel (?:berichten|verbindingen|e-?mails)',
        'for manga (?:meddelanden|anslutningar)',
        'tul sok (?:uzenet|kapcsolat|level)',
      ].join('|'),
    ),
  ],
  [
    'sender-refused',
    /sender(?: address)?(?: \S+)? (?:rejected|refused|denied|blocked|not (?:allowed|owned|permitted|accepted|verified))|sender verif\w+ failed|(?:not|isn'?t) (?:owned by|allowed to send (?:as|from)|permitted to send (?:as|from)|authorized to send)|send as this sender|sendasdenied|(?:from|return-?path|envelope sender|mail from)(?: address)? (?:is )?(?:not (?:allowed|verified|permitted|valid)|rejected|invalid|does not match)|invalid (?:sender|return path|from address)|bad sender|email address is not verified|sender domain (?:must|not|does)|domain of sender address|does not match (?:the )?(?:authenticated|login)|absender\w*[^.]{0,20}(?:abgelehnt|nicht erlaubt|verweigert)|odesilatel[^.]{0,30}(?:odmitnut|zamitnut|nepovolen)|expediteur[^.]{0,20}(?:refuse|rejete|non autorise)|remitente[^.]{0,20}(?:rechazado|no (?:permitido|autorizado))|mittente[^.]{0,20}(?:rifiutato|non (?:autorizzato|consentito))|remetente[^.]{0,20}(?:rejeitado|nao)|nadawc[ay][^.]{0,20}(?:odrzucon|niedozwolon)/,
  ],
  [
    'unknown-recipient',
    /(?:user|recipient|mailbox|account|address|alias|rcpt)[^.]{0,60}(?:unknown|not found|does ?n[o']t exist|doesn'?t exist|not exist|invalid|unavailable|no longer|disabled|inactive|not (?:a )?(?:valid|known|listed|recogni[sz]ed|local))|(?:unknown|no such|invalid|non-?existent|nonexistent|bad|inactive|disabled) (?:(?:local|virtual|destination|email|e-mail) )?(?:user|recipient|mailbox|account|address|person|domain)|no (?:mailbox|account|user|recipient) (?:here|by|found|with|on)|not our customer|unrouteable|unroutable|(?:domain|host)[^.]{0,30}(?:not found|does not exist)|address (?:lookup|verification) failed|recipient address rejected: access denied|(?:user|recipient) (?:does ?n[o']t|doesn't) have an? |mailbox not allowed|recipnotfound|does not like recipient|(?:empfanger|benutzer|postfach|adresse)\w*[^.]{0,30}(?:unbekannt|nicht gefunden|existiert nicht|nicht vorhanden)|(?:uzivatel|prijemce|adresat|schranka)\w*[^.]{0,30}(?:neexistuje|nenalezen|neznam)|(?:utilisateur|destinataire|adresse|boite)[^.]{0,30}(?:inconnu|inexistant|introuvable|n'existe pas)|(?:usuario|destinatario|buzon|direccion|utente|casella)[^.]{0,30}(?:desconocid|no existe|inexistente|sconosciut|non esiste|nao existe|desconhecid)|(?:uzytkownik|odbiorca|adresat|skrzynka)\w*[^.]{0,30}(?:nie istnieje|nieznan)/,
  ],
  [
    'message-refused',
    /(?:message|mail|email)[^.]{0,30}(?:size|too (?:large|big|long))[^.]{0,30}(?:exceed|limit|maximum|fixed|allowed)?|size (?:limit|exceeds)|exceeds (?:the )?(?:maximum|fixed|allowed) (?:message )?size|line too long|(?:nachricht|zprava|message|mensaje|messaggio|wiadomosc)[^.]{0,20}(?:zu gross|zu groß|prilis velk|trop (?:gros|volumineux)|demasiado grande|troppo grande|zbyt duz)/,
  ],
  [
    'policy',
    /spam|blacklist|block ?list|blocklist|dnsbl|rbl\b|spamhaus|reputation|virus|malware|phish|content rejected|policy|dmarc|\bspf\b|\bdkim\b|banned/,
  ],
];

/** What the words of an answer mean. */
export function wordingOf(text: string): Wording {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').replace(/[łŁ]/g, 'l').toLowerCase();
  return wordings.find(([, pattern]) => pattern.test(plain))?.[0] ?? null;
}
