/**
 * The Chinese of the pages about operation: alerts and the log. Pairs as in reference-translations.ts: a text without
 * a pair fails `npm run reference`, and so does a pair whose text no page has any more.
 */
type Pair = readonly [english: string, chinese: string];

/** Summaries and instructions of docs/deploy/prometheus/alerts.yml. */
export const alertTexts: readonly Pair[] = [
  ['An instance does not respond to scrapes', '实例不响应采集'],
  [
    'Check whether the process runs, and the last lines of its log (level 60: it ended by an error). If it runs, METRICS_PORT is not reachable from here, or its main thread is blocked.',
    '检查进程是否在运行，以及日志的最后几行（级别 60：因错误而终止）。若进程在运行，则从此处无法访问 METRICS_PORT，或其主线程被阻塞。',
  ],
  ['An instance is no longer scraped', '实例不再被采集'],
  [
    'Prometheus had this target an hour ago and no longer has it, so no other alert covers it. If the instance was removed on purpose, this alert ends within the hour. Otherwise check the service discovery or static_configs.',
    '一小时前 Prometheus 还有此目标，现在已没有，因此没有其他告警能涵盖它。若是有意移除实例，此告警会在一小时内结束；否则请检查服务发现或 static_configs。',
  ],
  ['An instance accepts no writes', '实例不接受写入'],
  [
    'Request its /api/v1/health?ready: the 503 has the reason. Look at gatewright_database_up, the disk of the database, and the log, which says when the database was lost and why.',
    '请求其 /api/v1/health?ready：503 响应中有原因。查看 gatewright_database_up、数据库所在的磁盘，以及日志：日志记录何时、因何失去数据库。',
  ],
  ['An instance has met damaged data in the database', '实例读取到数据库中损坏的数据'],
  [
    'Trying again does not help. The log has a line "the database is damaged" with the file or the relation. Keep a copy of the database as it is, and do as docs/reference/damage.md says.',
    '重试无济于事。日志中有一行 the database is damaged，附文件或关系。请按现状保留一份数据库副本，并按 docs/reference/damage.md 处理。',
  ],
  [
    'More than 1.44 % of responses are 5xx: the error budget of 99.9 % in 30 days is gone in two days',
    '超过 1.44 % 的响应为 5xx：30 天 99.9 % 的错误预算将在两天内用尽',
  ],
  [
    'The dashboard shows by route and status which responses fail; gatewright_http_refusals_total has their codes. docs/reference/errors.md explains each code. For 50000, the log has the error under the request id of the response. For 503, gatewright_database_up, the pool and the write queue show what is short.',
    '仪表盘按路由与状态显示哪些响应失败，gatewright_http_refusals_total 有其错误码，docs/reference/errors.md 解释每个错误码。对于 50000，可按响应的请求 id 在日志中找到错误。对于 503，gatewright_database_up、连接池与写入队列显示缺少什么。',
  ],
  [
    'More than 0.6 % of responses are 5xx for hours: the error budget of 99.9 % is gone in five days',
    '数小时内超过 0.6 % 的响应为 5xx：99.9 % 的错误预算将在五天内用尽',
  ],
  [
    'As for GatewrightErrorRatioFast; there is time until working hours.',
    '同 GatewrightErrorRatioFast，可以等到工作时间再处理。',
  ],
  ['One response in a hundred of an instance takes longer than a second', '实例每百个响应中有一个超过一秒'],
  [
    "See on the dashboard which route it is, and by gatewright_http_database_seconds_total how much of the time is the database's: SLOW_QUERY in the log names slow statements. If it is little, look at the lag of the event loop: code of the application, or the processor.",
    '在仪表盘上查看是哪个路由，并通过 gatewright_http_database_seconds_total 查看数据库所占的时间：启用 SLOW_QUERY 后，日志会列出慢语句。若所占不多，请查看事件循环的延迟：应用的代码，或处理器。',
  ],
  ['The main thread is blocked for more than 250 ms at a time', '主线程单次阻塞超过 250 毫秒'],
  [
    'All other requests wait meanwhile. The log names code of the application that took long. Otherwise the process is short of processor time: fewer requests, more WORKERS, or instances on PostgreSQL.',
    '其他请求在此期间全部等待。日志会指出耗时的应用代码。若没有，则是进程的处理器时间不足：减少请求，增加 WORKERS，或在 PostgreSQL 上增加实例。',
  ],
  ['Statements wait for a session of PostgreSQL', '语句等待 PostgreSQL 的会话'],
  [
    'Does something hold a lock (pg_stat_activity)? Otherwise statements are slow (SLOW_QUERY), or DATABASE_POOL is smaller than the server allows.',
    '是否有锁被占用（pg_stat_activity）？否则是语句过慢（SLOW_QUERY），或 DATABASE_POOL 小于服务器允许的数量。',
  ],
  ['Statements that no index bounds wait for a place', '没有索引限定范围的语句在排队'],
  [
    'Searches, filters and counts over whole tables come faster than they end. Which route has the time (gatewright_http_database_seconds_total)? An index on the fields that it filters by (`index: true`) makes it a bounded statement.',
    '全表的搜索、筛选与计数到来得比完成得快。时间用在哪个路由（gatewright_http_database_seconds_total）？为其筛选的字段建立索引（`index: true`），即可限定语句的范围。',
  ],
  ['Reads do not go to the replica', '读取没有使用副本'],
  [
    'DATABASE_READ_URL is set, but the replica is away, or more than a second behind. The first server takes its reads. The log says since when and why.',
    '已设置 DATABASE_READ_URL，但副本不可用，或落后超过一秒，其读取由主服务器承担。日志记录自何时起、因何如此。',
  ],
  ['The last successful backup is older than a day and a half', '上一次成功的备份已超过一天半'],
  [
    'Look at the log of the timer that runs `gatewright backup`. Set the limit to one and a half times your own interval. Before the first backup there is no such metric, and this alert says nothing.',
    '查看运行 `gatewright backup` 的定时器的日志。请把阈值设为自己的备份间隔的一倍半。首次备份之前没有这个指标，此告警也不会触发。',
  ],
  ['A worker does not respond to the process above it', '工作进程不响应其上级进程'],
  [
    'Its main thread is blocked; requests on its connections wait. The log names the request that runs. SIGTERM to the worker has it replaced.',
    '其主线程被阻塞，其连接上的请求在等待。日志会指出正在运行的请求。向该工作进程发送 SIGTERM，即会被替换。',
  ],
  ['An instance has more than 80 % of its file descriptors open', '实例已打开超过 80 % 的文件描述符'],
  [
    'At the limit connections are refused and files cannot be opened. Raise LimitNOFILE (ulimit -n) above MAX_CONNECTIONS and some hundred, or lower MAX_CONNECTIONS.',
    '达到上限时，连接被拒绝，文件无法打开。请把 LimitNOFILE（ulimit -n）提高到 MAX_CONNECTIONS 再加数百，或降低 MAX_CONNECTIONS。',
  ],
  ['Writes come in faster than SQLite takes them', '写入到来的速度超过 SQLite 的处理速度'],
  [
    'At 10,000 they are refused with 503. Look at the disk (each commit waits for it), at another process that writes to the file, and at what writes that much. PostgreSQL takes writes of many at a time.',
    '达到 10,000 个时以 503 拒绝。请检查磁盘（每次提交都要等待它）、是否有其他进程写入该文件，以及大量写入的来源。PostgreSQL 可以同时处理多个写入。',
  ],
  ['The write-ahead log of SQLite does not shrink', 'SQLite 的预写日志没有缩小'],
  [
    'Something reads one snapshot for long: a backup, a list that is streamed, a tool that has the file open. It shrinks to 64 MB at the first checkpoint after that ends. Is the disk large enough until then?',
    '有操作长时间读取同一快照：备份、流式返回的列表，或打开该文件的工具。其结束后的第一次检查点会将日志缩小到 64 MB。在此之前磁盘空间是否足够？',
  ],
  ['Jobs have failed for good', '任务最终失败'],
  [
    'GET /admin/jobs?state=failed lists them with their errors. Run them again or delete them there; the alert ends when none is left.',
    'GET /admin/jobs?state=failed 列出这些任务及其错误。请在那里重新执行或删除；全部处理后告警结束。',
  ],
  ['A job has been due for more than five minutes', '任务到期已超过五分钟'],
  [
    'Does any process run jobs (JOBS=on or only), and know this one? Then more come than JOBS_CONCURRENCY takes, or one that runs does not end: gatewright_jobs by state.',
    '是否有进程执行任务（JOBS=on 或 only），并认识该任务？若有，则任务多于 JOBS_CONCURRENCY 所能处理的数量，或某个正在执行的任务没有结束：见按状态统计的 gatewright_jobs。',
  ],
  [
    'A recurring job is more than five minutes late for its next tick',
    '周期任务的下一次触发已晚了五分钟以上',
  ],
  [
    "exported_job names it; purge-events, purge-trash and purge-deliveries are the service's own. Does any process run jobs (JOBS=on or only)? Does its log say that due jobs could not be read?",
    'exported_job 为其名称；purge-events、purge-trash 与 purge-deliveries 属于服务自身。是否有进程执行任务（JOBS=on 或 only）？其日志是否提到无法读取到期的任务？',
  ],
  ['A webhook is far behind the events', 'Webhook 远远落后于事件'],
  [
    'GET /admin/webhooks/ID/deliveries has the responses of its receiver. A receiver that is slow or refuses gets fewer and fewer attempts, until the webhook is disabled.',
    'GET /admin/webhooks/ID/deliveries 有接收方的响应。接收方缓慢或拒绝时，尝试会越来越少，直到该 Webhook 被停用。',
  ],
  ['A webhook was disabled in the last hour', '最近一小时内有 Webhook 被停用'],
  [
    "The administration's start page names it with the reason: its receiver has failed for too long, is gone (410), or its user is. Correct the cause and enable the webhook; it continues where it stopped.",
    '管理后台的首页会列出它及其原因：接收方失败时间过长、已不存在（410），或其用户已不存在。请消除原因并启用该 Webhook，它会从停下之处继续。',
  ],
  ['Lines of the log are lost', '日志有丢失'],
  [
    'The reader of standard output is too slow, or its disk is full. Requests do not wait for it, and the dropped lines are gone for good.',
    '标准输出的读取方太慢，或其磁盘已满。请求不会等待它，丢弃的行无法找回。',
  ],
  ['Many sign-ins are refused after too many failures', '大量登录因失败次数过多而被拒绝'],
  [
    'Somebody guesses passwords: GET /admin/audit says of which accounts and from where. The limits hold; block the networks at the proxy. Check that TRUST_PROXY matches the proxies in front, so that callers are distinguished.',
    '有人在猜测密码：GET /admin/audit 显示针对哪些账号、来自何处。次数限制仍然有效；请在代理处屏蔽这些网络，并确认 TRUST_PROXY 与前面的代理一致，以便区分调用者。',
  ],
  ['Connections are refused or cut', '连接被拒绝或切断'],
  [
    'reason=refused or displaced: as many are open as MAX_CONNECTIONS and ulimit -n let. flooding: somebody sends on and on without reading.',
    'reason 为 refused 或 displaced：已打开的连接达到 MAX_CONNECTIONS 与 ulimit -n 允许的数量。flooding：有人不断发送而不读取响应。',
  ],
];

/** Meanings of the fields of the log. */
export const logTexts: readonly Pair[] = [
  ['20 debug, 30 info, 40 warn, 50 error, 60 fatal', '20 调试，30 信息，40 警告，50 错误，60 致命'],
  ['milliseconds since 1970, UTC', '自 1970 年起的毫秒数，UTC'],
  ['the process; with `WORKERS` that of the worker', '进程；使用 `WORKERS` 时为工作进程'],
  ['the machine', '机器'],
  ['the message, see below', '消息，见下文'],
  ['the `X-Request-Id` of the response', '响应的 `X-Request-Id`'],
  ['the method', '请求方法'],
  [
    'the path as registered (`/api/v1/orders/:id`), without values; null if there is none',
    '注册时的路径（`/api/v1/orders/:id`），不含值；没有时为 null',
  ],
  ['the status of the response', '响应的状态码'],
  ['from the arrival to the end of the response', '从到达至响应结束'],
  ['the part of it in which statements ran or waited', '其中语句执行或等待的部分'],
  ['the method of authentication; null without credentials', '认证方式；没有凭据时为 null'],
  ['the id of the user, or the `app_id` of the application', '用户的 id，或应用的 `app_id`'],
  ['the `traceparent` of the caller; absent if there is none', '调用者的 `traceparent`；没有时省略'],
];

/** Messages of the log, which the service writes in English. */
export const logMessages: readonly Pair[] = [
  ['the first worker exited during its start', '第一个工作进程在启动时退出'],
  ['the service does not start', '服务没有启动'],
  ['uncaught exception: the process exits', '未捕获的异常：进程退出'],
  ['workers keep exiting right after their start: the service exits', '工作进程启动后不断退出：服务退出'],
  ['a job failed permanently', '任务最终失败'],
  ['a part of the service could not be closed', '服务的某个部分无法关闭'],
  ['a webhook was disabled', 'Webhook 被停用'],
  ['a worker could not be started', '无法启动工作进程'],
  ['a worker exited and is replaced', '工作进程退出，正在替换'],
  ['credentials', '读取凭据时出错'],
  ['event loop blocked', '事件循环被阻塞'],
  ['onStop of the application', '应用的 onStop 出错'],
  ['request failed', '请求失败'],
  ['request failed with an error that cannot be printed', '请求失败，且错误无法打印'],
  ['the outcome of a job could not be stored', '任务的结果无法保存'],
  ['unhandled promise rejection', '未处理的 Promise 拒绝'],
];
