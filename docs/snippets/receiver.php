<?php // php -S 127.0.0.1:24817 receiver.php
$key = base64_decode(substr(getenv('SECRET'), strlen('whsec_')));
$id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
$timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
$signatures = explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '');
$body = file_get_contents('php://input');

$expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
$matches = array_filter($signatures, fn($each) => hash_equals($expected, $each));
if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) >= 300 || $matches === []) {
    http_response_code(401);
    exit;
}
// The folder of a message is made once, whichever process is first.
if (@mkdir(sys_get_temp_dir() . '/seen-' . hash('sha256', $id))) {
    $message = json_decode($body, true);
    $line = [$message['type'], $message['data']['id'], $message['data']['record']['status'] ?? ''];
    file_put_contents('php://stdout', implode(' ', $line) . "\n");
}
http_response_code(204);
