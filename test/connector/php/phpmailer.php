<?php
// Mails as WordPress's own PHPMailer puts them on the wire: php phpmailer.php WORDPRESS < mails as JSON lines > wire as base64 lines

if (!function_exists('mb_strlen')) { // as WordPress does it (wp-includes/compat.php)
    function mb_strlen($text, $charset = null) { return preg_match_all('/./us', $text); }
    function mb_substr($text, $from, $length = null, $charset = null)
    {
        return implode('', array_slice(preg_split('//u', $text, -1, PREG_SPLIT_NO_EMPTY), (int) $from, (int) $length));
    }
}
foreach (['PHPMailer', 'SMTP', 'Exception'] as $class) {
    require "$argv[1]/wp-includes/PHPMailer/$class.php";
}

/** Everything that data() sends, and nobody who listens. */
class Wire extends PHPMailer\PHPMailer\SMTP
{
    public string $sent = '';
    protected function sendCommand($command, $commandstring, $expect) { return true; }
    protected function recordLastTransactionID() { return ''; }
    public function client_send($data, $command = '') { return strlen($this->sent .= $data); }
}

while (($line = fgets(STDIN)) !== false) {
    $mail = json_decode($line, true, 16, JSON_THROW_ON_ERROR);
    $mailer = new PHPMailer\PHPMailer\PHPMailer(true);
    // as wp_mail() does (wp-includes/pluggable.php)
    $mailer::$validator = static fn ($address) => str_contains($address, '@');
    $mailer->setFrom($mail['from'], $mail['from_name'], false);
    $mailer->Subject = $mail['subject'];
    $mailer->Body = $mail['message'];
    foreach (['to' => 'addAddress', 'cc' => 'addCC', 'replyTo' => 'addReplyTo'] as $list => $add) {
        foreach ($mail[$list] as $address) {
            $name = '';
            if (preg_match('/(.*)<(.+)>/', $address, $found)) {
                [, $name, $address] = $found;
            }
            $mailer->$add($address, $name);
        }
    }
    $mailer->isSMTP();
    $mailer->ContentType = $mail['type'];
    if ('text/html' === $mail['type']) {
        $mailer->isHTML(true);
    }
    $mailer->CharSet = 'UTF-8';
    foreach ($mail['headers'] as [$name, $value]) {
        $mailer->addCustomHeader("$name: $value");
    }
    foreach ($mail['attachments'] as $name) {
        $mailer->addStringAttachment('content', $name);
    }
    foreach ($mail['embeds'] as $cid => $name) {
        $mailer->addStringEmbeddedImage('content', $cid, $name);
    }
    $mailer->AltBody = $mail['alt'];
    $mailer->preSend();
    $wire = new Wire();
    $wire->data($mailer->getSentMIMEMessage());
    echo base64_encode($wire->sent), "\n";
}
