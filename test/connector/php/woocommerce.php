<?php
// A stand-in for WooCommerce, loaded as a must-use plugin: as much of it as has to do with mail, hook by hook in the order that
// was measured on WooCommerce 10.9.1. With SHOP_WOOCOMMERCE=9.8 it has no EmailLogger, with =none it is not loaded.

class WooCommerce
{
    private ?WC_Emails $mailer = null;
    public function mailer() { return $this->mailer ??= new WC_Emails(); }
}
function WC() { static $wc; return $wc ??= new WooCommerce(); }

class WC_Order
{
    public function __construct(private int $id, public string $email = '') {}
    public function get_id() { return $this->id; }
    public function get_edit_order_url() { return admin_url("post.php?post=$this->id&action=edit"); }
    public function add_order_note($note, $is_customer_note = 0, $added_by_user = false, $meta = [])
    {
        $id = wp_insert_comment([
            'comment_post_ID' => $this->id, 'comment_author' => 'WooCommerce', 'comment_agent' => 'WooCommerce',
            'comment_author_email' => 'woocommerce@shop.example', 'comment_content' => $note, 'comment_type' => 'order_note', 'comment_approved' => 1,
        ]);
        foreach ($meta as $key => $value) {
            add_comment_meta($id, $key, $value);
        }
        do_action('woocommerce_order_note_added', $id, $this);
        return $id;
    }
}

/** Orders are posts, or rows of their own table (HPOS). */
function wc_get_order($id)
{
    global $wpdb;
    $there = get_option('double_hpos')
        ? $wpdb->get_var($wpdb->prepare("SELECT id FROM {$wpdb->prefix}wc_orders WHERE id = %d", $id))
        : 'shop_order' === get_post_type($id);
    return $there ? new WC_Order((int) $id) : false;
}

class WC_Logger
{
    public function __call($level, $args)
    {
        file_put_contents(getenv('SHOP_LOG'), json_encode(['level' => $level, 'message' => $args[0], 'context' => $args[1] ?? []]) . "\n", FILE_APPEND);
    }
}
function wc_get_logger() { static $logger; return $logger ??= new WC_Logger(); }

class WC_Email
{
    public $id = 'customer_completed_order';
    public $title = 'Completed order';
    public $object = null;
    public $sending = false;
    public $email_type = 'html';
    public $body = '';
    public function __construct(array $values = [])
    {
        foreach ($values as $name => $value) {
            $this->$name = $value;
        }
        add_action('phpmailer_init', [$this, 'handle_multipart']);
    }
    public function get_title() { return $this->title; }
    public function get_email_type() { return $this->email_type; }
    public function get_content_type() { return ['html' => 'text/html', 'multipart' => 'multipart/alternative'][$this->email_type] ?? 'text/plain'; }
    public function get_from_address() { return sanitize_email(get_option('woocommerce_email_from_address')); }
    public function get_from_name() { return get_option('woocommerce_email_from_name'); }
    public function get_headers()
    {
        return "Content-Type: {$this->get_content_type()}\r\nReply-to: {$this->reply_to()} <{$this->get_from_address()}>\r\n";
    }
    private function reply_to() { return str_replace(['<', '>'], '', $this->get_from_name()); }
    public function get_content_plain() { return "Dobrý den,\n\n" . strip_tags($this->body) . "\n"; }
    public function get_content()
    {
        $this->sending = true;
        return 'plain' === $this->email_type ? wordwrap($this->get_content_plain(), 70) : "<!DOCTYPE html>\n<html><body>\n{$this->body}\n</body></html>\n";
    }
    public function handle_multipart($mailer)
    {
        if (!$this->sending) {
            return $mailer;
        }
        $mailer->AltBody = 'multipart' === $this->email_type ? wordwrap(wp_strip_all_tags($this->get_content_plain())) : '';
        $this->sending = false;
        return $mailer;
    }
    public function send($to, $subject, $message, $headers, $attachments)
    {
        add_filter('wp_mail_from', [$this, 'get_from_address']);
        add_filter('wp_mail_from_name', [$this, 'get_from_name']);
        add_filter('wp_mail_content_type', [$this, 'get_content_type']);
        $message = apply_filters('woocommerce_mail_content', $message);
        $callback = apply_filters('woocommerce_mail_callback', 'wp_mail', $this);
        $params = apply_filters('woocommerce_mail_callback_params', [$to, wp_specialchars_decode($subject), $message, $headers, $attachments], $this);
        $GLOBALS['last_answer'] = $callback(...$params);
        $sent = (bool) $GLOBALS['last_answer'];
        remove_filter('wp_mail_from', [$this, 'get_from_address']);
        remove_filter('wp_mail_from_name', [$this, 'get_from_name']);
        remove_filter('wp_mail_content_type', [$this, 'get_content_type']);
        do_action('woocommerce_email_sent', $sent, (string) $this->id, $this);
        return $sent;
    }
    /** As send_notification(): it may never come to send(). */
    public function skip($how) { do_action("woocommerce_email_$how", $this->id, $this); }
}

class WC_Emails
{
    public function get_emails()
    {
        $types = ['new_order' => 'New order', 'customer_completed_order' => 'Completed order', 'customer_refunded_order' => 'Refunded order', 'customer_reset_password' => 'Reset <b>password</b>'];
        static $emails;
        return $emails ??= array_map(fn ($id, $title) => new WC_Email(compact('id', 'title')), array_keys($types), $types);
    }
}

/** Since 10.9. */
class EmailLogger
{
    public static function sent($sent, $id, $email)
    {
        $order = $email->object instanceof WC_Order && $email->object->get_id() > 0 ? $email->object : null;
        if (!self::line($id, $email, $sent ? 'sent' : 'failed') || !$order) {
            return;
        }
        if (apply_filters('woocommerce_email_log_add_order_note', true, $id, $email, $order)) {
            $order->add_order_note("WooCommerce: $id " . ($sent ? 'sent' : 'failed'), 0, false, ['note_group' => 'email_notification']);
        }
    }
    public static function line($id, $email, $status)
    {
        if (!apply_filters('woocommerce_email_log_enabled', true, $id, $email)) {
            return false;
        }
        wc_get_logger()->info("WooCommerce: $id $status", apply_filters('woocommerce_email_log_context', ['source' => 'transactional-emails', 'email_type' => $id, 'status' => $status], $id, $email));
        return true;
    }
}
if ('9.8' !== getenv('SHOP_WOOCOMMERCE')) {
    add_action('woocommerce_email_sent', ['EmailLogger', 'sent'], 10, 3);
    add_action('woocommerce_email_disabled', fn ($id, $email) => EmailLogger::line($id, $email, 'disabled'), 10, 2);
    add_action('woocommerce_email_skipped', fn ($id, $email) => EmailLogger::line($id, $email, 'skipped'), 10, 2);
}

// The shop's own way to a mail server, as an SMTP plugin sets it.
add_action('phpmailer_init', function ($mailer) {
    $mailer->isSMTP();
    $mailer->Host = '127.0.0.1';
    $mailer->Port = (int) getenv('SHOP_SMTP_PORT');
    $mailer->SMTPAutoTLS = false;
}, 99);
if ('yes' === getenv('SHOP_FOREIGN_MAIL')) {
    function wp_mail() { return true; }
}
