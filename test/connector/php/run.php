<?php
// One request to the shop: a list of steps comes as JSON on stdin, what each answered goes out as one JSON document.
//   php run.php < {"steps": [["mail", {...}], ["tick"], ...]}
// What WordPress or anyone in it prints meanwhile is told as `output`: it has to be nothing.
$request = json_decode(stream_get_contents(STDIN), true, 32, JSON_THROW_ON_ERROR);
foreach ($request['define'] ?? [] as $name => $value) {
    define($name, $value);
}
if (!empty($request['wp_cli'])) {
    define('WP_CLI', true);
    /** As much of WP-CLI as commands call. */
    class WP_CLI
    {
        public static array $commands = [];
        public static array $said = [];
        public static function add_command($name, $class) { self::$commands[$name] = $class; }
        public static function __callStatic($kind, $args) { self::$said[] = [$kind, ...$args]; }
    }
}
ob_start();
require __DIR__ . '/site.php';
require __DIR__ . '/steps.php';

$answers = [];
foreach ($request['steps'] as $one) {
    $step = $one[0];
    try {
        $answers[] = Steps::$step($one[1] ?? null);
    } catch (Throwable $error) {
        $answers[] = 'threw: ' . $error->getMessage() . ' at ' . basename($error->getFile()) . ':' . $error->getLine();
    }
}
while (ob_get_level() > 1) {
    ob_end_flush();
}
$output = ob_get_clean();
echo json_encode(compact('answers', 'output'), JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR);
