<?php
use Postroom\Connector\Schema;

/** What a request can be asked to do. */
class Steps
{
    /** A mail of WooCommerce's; answers what wp_mail() answered. */
    public static function mail($with)
    {
        // As in a request of its own: wp_mail() keeps its PHPMailer, and with it the transfer encoding of the last mail. After a
        // mail in ASCII the next one calls itself 7bit, whatever it holds (until WordPress 6.8 at least).
        $GLOBALS['phpmailer'] = null;
        $object = isset($with['order']) ? new WC_Order((int) $with['order']) : null;
        if (isset($with['user'])) {
            $object = new WP_User((int) $with['user']);
        }
        $email = new WC_Email([
            'id' => $with['id'] ?? 'customer_completed_order',
            'title' => $with['title'] ?? 'Completed order',
            'email_type' => $with['type'] ?? 'html',
            'object' => $object,
            'body' => $with['body'] ?? "<p>Děkujeme za objednávku č. " . ($with['order'] ?? 0) . ".</p>\n<p>It is on its way – Größe 🙂</p>",
        ]);
        $subject = $with['subject'] ?? 'Objednávka č. ' . ($with['order'] ?? 0) . ' &amp; faktura';
        if (isset($with['subject_hex'])) {
            $subject = hex2bin($with['subject_hex']);
        }
        $content = $email->get_content() . hex2bin($with['body_hex'] ?? '');
        $email->send($with['to'] ?? 'anna@customer.example', $subject, $content, $email->get_headers() . ($with['headers'] ?? ''), $with['attachments'] ?? []);
        return $GLOBALS['last_answer'];
    }
    public static function mails($many) { return array_map([self::class, 'mail'], $many); }

    /** A mail of somebody else's. */
    public static function plain($args) { return wp_mail(...$args); }

    /** WordPress's own password reset. */
    public static function reset_password() { return retrieve_password('karel'); }

    /** A mail that WooCommerce never sends. */
    public static function skip($with) { (new WC_Email(['id' => $with['id']]))->skip($with['how']); }

    public static function orders($count)
    {
        global $wpdb;
        if (!get_option('double_hpos')) {
            return array_map(fn () => wp_insert_post(['post_type' => 'shop_order', 'post_status' => 'publish', 'post_title' => 'Order']), range(1, $count));
        }
        $wpdb->query("CREATE TABLE IF NOT EXISTS {$wpdb->prefix}wc_orders (id bigint unsigned AUTO_INCREMENT PRIMARY KEY, status varchar(20)) AUTO_INCREMENT = 1000");
        return array_map(fn () => $wpdb->insert("{$wpdb->prefix}wc_orders", ['status' => 'completed']) ? $wpdb->insert_id : 0, range(1, $count));
    }
    public static function delete_order($id) { return (bool) wp_delete_post($id, true); }
    public static function notes($order)
    {
        $notes = get_comments(['post_id' => $order, 'type' => 'order_note', 'orderby' => 'comment_ID', 'order' => 'ASC']);
        return array_map(fn ($note) => ['text' => $note->comment_content, 'group' => get_comment_meta($note->comment_ID, 'note_group', true), 'agent' => $note->comment_agent], $notes);
    }
    public static function option($pair) { return update_option($pair[0], $pair[1]); }
    public static function read_option($name) { return get_option($name, null); }

    /** Statements over the shop's own connection. */
    public static function sql($statement)
    {
        global $wpdb;
        return $wpdb->query($statement);
    }
    public static function install() { return Schema::install(); }
    public static function tables_dbdelta()
    {
        require_once ABSPATH . 'wp-admin/includes/upgrade.php';
        return array_values(dbDelta(Schema::statements()));
    }
    public static function file($pair)
    {
        $path = get_temp_dir() . uniqid('', true) . '/' . $pair[0];
        mkdir(dirname($path));
        file_put_contents($path, $pair[1]);
        return $path;
    }
    /** A mail with an attachment that is deleted right after it was sent. */
    public static function mail_with_passing_file($with)
    {
        $path = self::file($with['file']);
        $answer = self::mail(['attachments' => [$path]] + $with);
        unlink($path);
        return $answer;
    }
    public static function circumstance($name)
    {
        return match ($name) {
            // a staging shop
            'redirect' => add_filter('wp_mail', fn ($atts) => ['to' => 'staging@shop.example'] + $atts),
            'retitle' => add_filter('wp_mail', fn ($atts) => ['subject' => 'changed'] + $atts),
            'footer' => add_filter('wp_mail', fn ($atts) => ['message' => $atts['message'] . '<p>footer</p>'] + $atts),
            'embeds' => add_filter('wp_mail', fn ($atts) => ['embeds' => ['logo' => Steps::file(['logo.png', 'png'])]] + $atts),
            // another mailer was first
            'sent-already' => add_filter('pre_wp_mail', fn () => true, 5),
            'failed-already' => add_filter('pre_wp_mail', fn () => false, 5),
            // another mailer took WooCommerce's callback
            'own-mailer' => add_filter('woocommerce_mail_callback', fn () => fn () => true),
            'preview' => add_filter('woocommerce_is_email_preview', '__return_true'),
            'no-notes' => add_filter('woocommerce_email_log_add_order_note', '__return_false'),
            'no-log' => add_filter('woocommerce_email_log_enabled', '__return_false'),
            'deferred' => add_filter('woocommerce_defer_transactional_emails', '__return_true'),
            'throwing-title' => add_filter('woocommerce_mail_callback', function ($callback, $email) {
                $email->title = new class() { public function __toString(): string { throw new Error('no title'); } };
                return $callback;
            }, 10, 2),
            'throwing-note' => add_action('woocommerce_order_note_added', fn () => throw new Error('a listener of notes')),
            'throwing-sender' => add_filter('wp_mail_from', function ($from) {
                static $calls = 0;
                return 0 === $calls++ ? throw new Error('a filter of senders') : $from;
            }),
        };
    }
    public static function tick() { do_action('postroom_connector_minute'); }
    public static function scheduled() { return [wp_next_scheduled('postroom_connector_minute') !== false, wp_get_schedule('postroom_connector_minute')]; }

    /** Somebody opens wp-admin. */
    public static function as_user($login) { return wp_set_current_user($login ? get_user_by('login', $login)->ID : 0)->ID; }
    public static function admin_init()
    {
        // WordPress would ask for updates of itself
        foreach (['_maybe_update_core', '_maybe_update_plugins', '_maybe_update_themes'] as $name) {
            remove_action('admin_init', $name);
        }
        do_action('admin_init');
    }
    public static function notices()
    {
        ob_start();
        do_action('admin_notices');
        return ob_get_clean();
    }
    public static function page()
    {
        require_once ABSPATH . 'wp-admin/includes/plugin.php';
        add_menu_page('WooCommerce', 'WooCommerce', 'read', 'woocommerce');
        do_action('admin_menu');
        ob_start();
        // as wp-admin/admin.php: only who may open it comes here
        global $submenu;
        $ours = array_filter($submenu['woocommerce'] ?? [], fn ($item) => 'postroom' === $item[2]);
        if ($ours) {
            do_action(get_plugin_page_hookname('postroom', 'woocommerce'));
        }
        return ob_get_clean();
    }
    /** Presses the button; with a nonce of one's own, or without. */
    public static function press_disable($nonce)
    {
        $_REQUEST['_wpnonce'] = $_POST['_wpnonce'] = true === $nonce ? wp_create_nonce('postroom_disable') : (string) $nonce;
        $what = 'nothing';
        // both would end the process
        $end = function ($how) use (&$what) {
            $what = 'nothing' === $what ? $how : $what;
            throw new Exception($how);
        };
        add_filter('wp_die_handler', fn () => fn ($message) => $end('died: ' . (is_wp_error($message) ? $message->get_error_message() : $message)));
        add_filter('wp_redirect', fn ($where) => $end("redirected: $where"));
        do_action('admin_post_postroom_disable');
        return $what;
    }
    public static function cli($with)
    {
        WP_CLI::$said = [];
        $command = new (WP_CLI::$commands['postroom'])();
        $command->{$with[0]}([], $with[1] ?? []);
        return WP_CLI::$said;
    }
    public static function hooks($name) { return (bool) has_filter($name); }
    public static function words($name) { return __($name, 'postroom-connector'); }

    /** Milliseconds of so many mails, each for itself: queued, and WooCommerce's part alone. */
    public static function time($with)
    {
        $stamps = [];
        for ($i = 0; $i < $with['count']; $i++) {
            $began = hrtime(true);
            self::mail($with['mail']);
            $stamps[] = (hrtime(true) - $began) / 1e6;
        }
        return $stamps;
    }
}
