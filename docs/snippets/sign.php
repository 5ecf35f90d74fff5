<?php

function sign(string $apiSecret, string $timestamp, string $body): string
{
    return hash_hmac('sha256', $timestamp . "\n" . $body, $apiSecret);
}
