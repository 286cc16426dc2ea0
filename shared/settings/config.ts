// Parses the environment variables once, when a process starts. If there are problems, the process lists all of them
// and stops. No other code reads process.env.
import { existsSync } from 'node:fs'
import { findRedisProblem } from '../redis/address.ts'
import { isEmail } from '../utilities/texts.ts'
import { readAnswerSettings } from './answers.ts'
import { readCalendars } from './calendars.ts'
import { type Environment, EnvironmentReader } from './environment.ts'
import { readPush } from './push.ts'
import { readSignIn } from './sign-in.ts'

export type Config = ReturnType<typeof readSettings>

/** Reports every problem with the settings, each in one sentence. */
export class ConfigError extends Error {
  readonly problems: string[]

  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/**
 * Loads the settings from the environment variables of this process and from a .env file. The environment variables
 * take precedence.
 */
export function loadConfig(processName: string): Config {
  if (existsSync('.env')) process.loadEnvFile('.env')
  return parseConfig(process.env, { hasCalendars: processName === 'hooks' })
}

/**
 * `hasCalendars` says whether the settings of room calendars are read. Only the process `hooks` needs them: the others often
 * share its environment, but may not have the files of credentials that it names. If `calendarProblems` is
 * given, problems with these settings are added to it and do not throw; only the provider that they concern is left out.
 */
export function parseConfig(
  environment: Environment,
  { hasCalendars = true, calendarProblems }: { hasCalendars?: boolean; calendarProblems?: string[] } = {},
): Config {
  const read = new EnvironmentReader(environment)
  const readForCalendars = calendarProblems ? new EnvironmentReader(environment) : read
  const config = readSettings(read, hasCalendars ? readForCalendars : undefined)
  calendarProblems?.push(...readForCalendars.problems)
  if (read.problems.length > 0) throw new ConfigError(read.problems)
  return config
}

function readSettings(read: EnvironmentReader, readForCalendars: EnvironmentReader | undefined) {
  return {
    databaseUrl: read.databaseUrl('DATABASE_URL', 'required'),
    port: read.integer('PORT', 3000, { min: 0, max: 65_535 }),
    host: read.text('HOST', '0.0.0.0'),
    /** Undefined if reads use the same database as writes. */
    databaseReadUrl: read.replicaUrl('DATABASE_READ_URL') || undefined,
    replicaWaitMs: read.integer('REPLICA_WAIT_MS', 50, { min: 0, max: 60_000 }),
    replicaLagMsMax: read.integer('REPLICA_LAG_MS_MAX', 5_000, { min: 100, max: 3_600_000 }),
    gatewayDatabaseUrl: read.databaseUrl('GATEWAY_DATABASE_URL') || undefined,
    databaseConnectionsMax: read.integer('DATABASE_CONNECTIONS_MAX', 10, { min: 1, max: 1_000 }),
    streamConnectionsMax: read.integer('STREAM_CONNECTIONS_MAX', 4, { min: 1, max: 1_000 }),
    streamIdleMs: read.integer('STREAM_IDLE_MS', 30_000, { min: 100, max: 600_000 }),
    streamMsMax: read.integer('STREAM_MS_MAX', 300_000, { min: 100, max: 86_400_000 }),
    ...readRedis(read),
    redisPrefix: read.name('REDIS_PREFIX', 'berth'),
    publicUrl: read.url('PUBLIC_URL', ['http:', 'https:'])?.replace(/\/+$/, '') || undefined,
    signIn: readSignIn(read),
    /** Undefined if there is no mail server in the settings. */
    mail: readMail(read),
    /** Undefined if Berth sends no notifications to browsers. */
    push: readPush(read),
    /** The providers of room calendars. Undefined if no provider has settings, or the process does not need them. */
    calendars: readForCalendars && readCalendars(readForCalendars),
    /** Whether everybody in the company has their own pages at /my. */
    peoplePages: read.flag('PEOPLE_PAGES'),
    /** Whether pages show pictures of people. */
    peoplePictures: read.flag('PEOPLE_PICTURES', true),
    trustProxy: read.flag('TRUST_PROXY'),
    /** Whether Berth stores the last requests of each token, so that its owner can see them. */
    requestLog: read.flag('REQUEST_LOG', true),
    corsOrigins: read.list('CORS_ORIGINS'),
    rateLimitPerMinute: read.integer('RATE_LIMIT_PER_MINUTE', 600, { min: 1, max: 1_000_000_000 }),
    /** The limit on page requests of one person or one administrator per minute. */
    pageLimitPerMinute: read.integer('PAGE_LIMIT_PER_MINUTE', 1_200, { min: 1, max: 1_000_000 }),
    failedSignInsPerMinute: read.integer('FAILED_SIGN_INS_PER_MINUTE', 300, { min: 1, max: 1_000_000 }),
    bodyBytesMax: read.integer('BODY_BYTES_MAX', 1024 * 1024, { min: 1_024, max: 1024 ** 3 }),
    fileBytesMax: read.integer('FILE_BYTES_MAX', 20 * 1024 * 1024, { min: 1_024, max: 1024 ** 3 }),
    writeWaitMs: read.integer('WRITE_WAIT_MS', 10_000, { min: 100, max: 300_000 }),
    writesUnderWayMax: read.integer('WRITES_UNDER_WAY_MAX', 500, { min: 1, max: 100_000 }),
    readsUnderWayMax: read.integer('READS_UNDER_WAY_MAX', 2_000, { min: 1, max: 100_000 }),
    keepaliveAfterMs: read.integer('KEEPALIVE_AFTER_MS', 20_000, { min: 100, max: 600_000 }),
    ...readDrainTimes(read),
    writesConcurrency: read.integer('WRITES_CONCURRENCY', 10, { min: 1, max: 1_000 }),
    webConcurrency: read.integer('WEB_CONCURRENCY', 1, { min: 1, max: 256 }),
    /** The port for a worker's metrics. Undefined if the worker serves no metrics. */
    metricsPort: read.optionalInteger('METRICS_PORT', { min: 0, max: 65_535 }),
    /** The settings for tracing. Undefined if tracing is off. */
    tracing: readTracing(read),
    bookingsAnonymousAfterMonths: read.integer('BOOKINGS_ANONYMOUS_AFTER_MONTHS', 0, { min: 0, max: 1_200 }),
    /** Private addresses and networks that webhooks may use, although others are refused. */
    webhookAllowPrivate: read.networks('WEBHOOK_ALLOW_PRIVATE'),
    /** How many months entries in the audit log are kept. Zero means forever. */
    auditLogKeptMonths: read.integer('AUDIT_LOG_KEPT_MONTHS', 0, { min: 0, max: 1_200 }),
    logLevel: read.choice('LOG_LEVEL', LOG_LEVELS, 'info'),
  }
}

// Reads only whether and what to trace. The OpenTelemetry exporter itself reads its address and headers.
function readTracing(read: EnvironmentReader): TracingSettings | undefined {
  const endpoints = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']
  const isAsked = endpoints.map((name) => read.url(name, ['http:', 'https:'])).some(Boolean)
  if (!isAsked || read.flag('OTEL_SDK_DISABLED')) return undefined
  return {
    sampler: read.choice('OTEL_TRACES_SAMPLER', TRACE_SAMPLERS, 'parentbased_always_on'),
    ratio: read.ratio('OTEL_TRACES_SAMPLER_ARG', 1),
  }
}

// Reads how long a process may take to stop. The grace period is part of the total time.
function readDrainTimes(read: EnvironmentReader) {
  const drainMs = read.integer('DRAIN_MS', 25_000, { min: 0, max: 600_000 })
  const lameDuckMs = read.integer('LAME_DUCK_MS', Math.floor(drainMs / 5), { min: 0, max: drainMs })
  return { drainMs, lameDuckMs }
}

function readRedis(read: EnvironmentReader) {
  const settings = {
    redisUrl: read.text('REDIS_URL', ''),
    /** The addresses of the sentinels. Empty if there are none. */
    redisSentinels: read.text('REDIS_SENTINELS', ''),
    redisCluster: read.flag('REDIS_CLUSTER'),
  }
  const problem = findRedisProblem(settings)
  return problem === undefined ? settings : read.problem(problem, settings)
}

export type MailSettings = NonNullable<ReturnType<typeof readMail>>

function readMail(read: EnvironmentReader) {
  const smtpUrl = read.url('SMTP_URL', ['smtp:', 'smtps:'])
  if (!smtpUrl) {
    if (read.text('MAIL_ANSWERS', ''))
      read.problem(
        'MAIL_ANSWERS is set, and SMTP_URL is not: nobody gets an invitation to answer.',
        undefined,
      )
    return undefined
  }
  const from = read.text('MAIL_FROM', '')
  if (!from) read.problem('MAIL_FROM is not set, and SMTP_URL is: mail needs a sender.', undefined)
  else if (!isEmail(/<([^<>]+)>$/.exec(from)?.[1] ?? from))
    read.problem('MAIL_FROM must be an e-mail address: Berth <berth@example.com>.', undefined)
  const publicUrl = read.text('PUBLIC_URL', '').replace(/\/+$/, '')
  // Links in mails must lead to Berth itself, so they use PUBLIC_URL and not the address in a request, which
  // the sender of the request chooses.
  if (!publicUrl) read.problem('PUBLIC_URL is not set, and SMTP_URL is: mail has links to it.', undefined)
  const answers = readAnswerSettings(read)
  /**
   * `smtpUrl` includes the user and the password. Links in mails begin with `publicUrl`. `answers` is absent if calendar
   * programs send answers to the organizers.
   */
  return { smtpUrl, from, publicUrl, ...(answers && { answers }) }
}

// Samplers decide which requests are traced. These are OpenTelemetry's names for them.

export type RootSampler = 'always_on' | 'always_off' | 'traceidratio'
const ROOT_SAMPLERS: RootSampler[] = ['always_on', 'always_off', 'traceidratio']
export const TRACE_SAMPLERS = [
  ...ROOT_SAMPLERS.map((root) => `parentbased_${root}` as const),
  ...ROOT_SAMPLERS,
]

export type TracingSettings = {
  sampler: (typeof TRACE_SAMPLERS)[number]
  /** The share of traces that a sampler with a ratio records. */
  ratio: number
}
