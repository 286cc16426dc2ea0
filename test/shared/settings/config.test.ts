// Tests the environment variables: their defaults, reporting all problems together, and no passwords in error
// messages.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../../local/tools/folders.ts'
import { ConfigError, parseConfig } from '../../../shared/settings/config.ts'

const REQUIRED_VARIABLES = {
  DATABASE_URL: 'postgres://berth:pass-word@db.example.com/berth',
  REDIS_URL: 'redis://r.example.com',
}

function listProblems(environment: Record<string, string>): string[] {
  try {
    parseConfig({ ...REQUIRED_VARIABLES, ...environment })
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems
  }
}

describe('the configuration', () => {
  it('requires only the connection URLs of Postgres and Redis', () => {
    expect(parseConfig(REQUIRED_VARIABLES)).to.deep.equal({
      port: 3000,
      metricsPort: undefined,
      tracing: undefined,
      host: '0.0.0.0',
      databaseUrl: REQUIRED_VARIABLES.DATABASE_URL,
      databaseReadUrl: undefined,
      replicaWaitMs: 50,
      replicaLagMsMax: 5_000,
      gatewayDatabaseUrl: undefined,
      databaseConnectionsMax: 10,
      streamConnectionsMax: 4,
      fileBytesMax: 20 * 1024 * 1024,
      streamIdleMs: 30_000,
      streamMsMax: 300_000,
      redisUrl: REQUIRED_VARIABLES.REDIS_URL,
      redisSentinels: '',
      redisCluster: false,
      peoplePages: false,
      peoplePictures: true,
      redisPrefix: 'berth',
      publicUrl: undefined,
      signIn: { provider: undefined, isLocal: true },
      mail: undefined,
      push: undefined,
      calendars: undefined,
      requestLog: true,
      trustProxy: false,
      corsOrigins: [],
      rateLimitPerMinute: 600,
      pageLimitPerMinute: 1_200,
      failedSignInsPerMinute: 300,
      bodyBytesMax: 1024 * 1024,
      bookingsAnonymousAfterMonths: 0,
      writeWaitMs: 10_000,
      writesUnderWayMax: 500,
      readsUnderWayMax: 2_000,
      keepaliveAfterMs: 20_000,
      drainMs: 25_000,
      lameDuckMs: 5_000,
      writesConcurrency: 10,
      webConcurrency: 1,
      webhookAllowPrivate: [],
      auditLogKeptMonths: 0,
      logLevel: 'info',
    })
  })

  it('includes the grace period of a gateway in its time to stop', () => {
    expect(parseConfig({ ...REQUIRED_VARIABLES, DRAIN_MS: '10000' }).lameDuckMs).to.equal(2_000)
    expect(listProblems({ DRAIN_MS: '10000', LAME_DUCK_MS: '10001' })).to.deep.equal([
      'LAME_DUCK_MS must be a whole number from 0 to 10000, not “10001”.',
    ])
  })

  it('reads the settings of room calendars only for the process that needs them', () => {
    const calendars = {
      CALENDARS_GOOGLE_KEY_FILE: '/nowhere/key.json',
      CALENDARS_GOOGLE_SUBJECT: 'a@example.com',
    }
    const environment = { ...REQUIRED_VARIABLES, ...calendars }
    expect(parseConfig(environment, { hasCalendars: false }).calendars).to.equal(undefined)
    expect(() => parseConfig(environment)).to.throw(ConfigError)
  })

  it('treats empty variables as missing, and trims all values', () => {
    const empty = Object.fromEntries(
      ['PORT', 'HOST', 'PUBLIC_URL', 'TRUST_PROXY', 'LOG_LEVEL'].map((name) => [name, ' ']),
    )
    expect(parseConfig({ ...REQUIRED_VARIABLES, ...empty })).to.deep.equal(parseConfig(REQUIRED_VARIABLES))
    expect(parseConfig({ ...REQUIRED_VARIABLES, PORT: ' 8080 ', LOG_LEVEL: ' Warn' })).to.include({
      port: 8080,
      logLevel: 'warn',
    })
  })

  it('reads each environment variable into its setting', () => {
    const config = parseConfig({
      DATABASE_URL: 'postgresql://a@b/c',
      REDIS_URL: 'rediss://a/3',
      REDIS_PREFIX: 'acme:berth',
      DATABASE_READ_URL: 'postgres://replica/c',
      GATEWAY_DATABASE_URL: 'postgres://gateway@b/c',
      PUBLIC_URL: 'https://desk.example.com/berth//',
      TRUST_PROXY: 'Yes',
      CORS_ORIGINS: 'https://a.example.com, https://b.example.com',
      RATE_LIMIT_PER_MINUTE: '100000',
      WEB_CONCURRENCY: '4',
    })
    expect(config).to.deep.include({
      redisPrefix: 'acme:berth',
      databaseReadUrl: 'postgres://replica/c',
      gatewayDatabaseUrl: 'postgres://gateway@b/c',
      publicUrl: 'https://desk.example.com/berth',
      trustProxy: true,
      corsOrigins: ['https://a.example.com', 'https://b.example.com'],
      rateLimitPerMinute: 100_000,
      webConcurrency: 4,
    })
  })

  it('reads the settings of the identity provider for administrators', () => {
    const provider = {
      OIDC_ISSUER: 'https://id.example.com',
      OIDC_CLIENT_ID: 'berth',
      OIDC_CLIENT_SECRET: 'pass-word',
      OIDC_ROLES: 'cn=owners=owner, desk = front-desk,',
    }
    const { signIn } = parseConfig({ ...REQUIRED_VARIABLES, ...provider })
    expect(signIn).to.deep.equal({
      isLocal: true,
      provider: {
        issuer: 'https://id.example.com/',
        clientId: 'berth',
        clientSecret: 'pass-word',
        scopes: 'openid email',
        roleClaim: 'groups',
        roles: [
          { value: 'cn=owners', role: 'owner' },
          { value: 'desk', role: 'front-desk' },
        ],
        label: 'single sign-on',
      },
    })
    expect(
      parseConfig({ ...REQUIRED_VARIABLES, ...provider, LOCAL_SIGN_IN: 'false' }).signIn.isLocal,
    ).to.equal(false)
    expect(listProblems({ ...provider, OIDC_ISSUER: 'http://localhost:8080/realm' })).to.deep.equal([])
    expect(
      listProblems({ ...provider, OIDC_ISSUER: 'http://id.example.com', OIDC_ROLES: 'a=boss' }),
    ).to.deep.equal([
      'OIDC_ISSUER must start with https://; http:// is for this machine only.',
      'OIDC_ROLES must have pairs like berth-owners=owner, not “a=boss”. Roles: owner, administrator, front-desk, reader.',
    ])
    expect(listProblems({ OIDC_ISSUER: 'https://id.example.com', OIDC_SCOPES: 'email' })).to.deep.equal([
      'OIDC_CLIENT_ID is not set, and OIDC_ISSUER is.',
      'OIDC_CLIENT_SECRET is not set, and OIDC_ISSUER is.',
      'OIDC_ROLES is not set, and OIDC_ISSUER is.',
      'OIDC_SCOPES must have “openid”, not only “email”.',
    ])
    expect(listProblems({ LOCAL_SIGN_IN: 'false' })).to.deep.equal([
      'LOCAL_SIGN_IN is false and OIDC_ISSUER is not set: nobody could sign in.',
    ])
    expect(listProblems({ ...provider, OIDC_ROLES: 'desk=reader', LOCAL_SIGN_IN: 'false' })).to.deep.equal([
      'LOCAL_SIGN_IN is false and OIDC_ROLES makes nobody an owner.',
    ])
  })

  it('reads the mail server and the base URL of links in mails', () => {
    const mail = { SMTP_URL: 'smtps://berth:pass-word@mail.example.com', MAIL_FROM: 'Berth <b@example.com>' }
    const PUBLIC_URL = 'https://desk.example.com/berth/'
    expect(parseConfig({ ...REQUIRED_VARIABLES, ...mail, PUBLIC_URL }).mail).to.deep.equal({
      smtpUrl: mail.SMTP_URL,
      from: mail.MAIL_FROM,
      publicUrl: 'https://desk.example.com/berth',
    })
    expect(listProblems({ SMTP_URL: mail.SMTP_URL, PUBLIC_URL })).to.deep.equal([
      'MAIL_FROM is not set, and SMTP_URL is: mail needs a sender.',
    ])
    expect(listProblems({ ...mail, MAIL_FROM: 'Berth' })).to.deep.equal([
      'MAIL_FROM must be an e-mail address: Berth <berth@example.com>.',
      'PUBLIC_URL is not set, and SMTP_URL is: mail has links to it.',
    ])
    expect(listProblems({ SMTP_URL: 'https://berth:pass-word@mail.example.com' })).to.deep.equal([
      'SMTP_URL must be a URL that starts with smtp:// or smtps://.',
    ])
  })

  it('reads the mailbox for answers, and requires a check of senders', () => {
    const mail = {
      SMTP_URL: 'smtps://mail.example.com',
      MAIL_FROM: 'b@example.com',
      PUBLIC_URL: 'https://desk.example.com',
    }
    const MAIL_ANSWERS = 'imaps://answers%40example.com:pass%2Fword@mail.example.com/INBOX'
    const answersOf = (changes: Record<string, string>) =>
      parseConfig({ ...REQUIRED_VARIABLES, ...mail, MAIL_ANSWERS, ...changes }).mail?.answers
    expect(answersOf({ MAIL_ANSWERS_CHECK: 'mx.example.com' })).to.deep.equal({
      imapUrl: MAIL_ANSWERS,
      address: 'answers@example.com',
      authenticatedBy: 'mx.example.com',
    })
    expect(
      answersOf({ MAIL_ANSWERS_CHECK: 'None', MAIL_ANSWERS_ADDRESS: 'berth@example.com' }),
    ).to.deep.include({ address: 'berth@example.com', authenticatedBy: undefined })
    expect(listProblems({ ...mail, MAIL_ANSWERS: 'imaps://answers:100%@mail.example.com' })).to.deep.equal([
      'MAIL_ANSWERS must have a user and a password, with % written as %25: imaps://user:password@host.',
      'MAIL_ANSWERS_ADDRESS must be the e-mail address of the mailbox in MAIL_ANSWERS.',
      'MAIL_ANSWERS needs MAIL_ANSWERS_CHECK: the name of the server whose Authentication-Results Berth trusts.',
    ])
    expect(listProblems({ ...mail, MAIL_ANSWERS: 'https://mail.example.com' })).to.deep.equal([
      'MAIL_ANSWERS must be a URL that starts with imaps:// or imap://.',
    ])
    expect(listProblems({ MAIL_ANSWERS })).to.deep.equal([
      'MAIL_ANSWERS is set, and SMTP_URL is not: nobody gets an invitation to answer.',
    ])
  })

  it("accepts only one replica, because the position of a caller's last write belongs to one server", () => {
    const [problem, ...others] = listProblems({
      DATABASE_URL: 'postgres://a,b/c',
      REDIS_URL: 'redis://a',
      DATABASE_READ_URL: 'postgres://a,b/c?target_session_attrs=standby',
    })
    expect(problem).to.match(/^DATABASE_READ_URL must name one host: /)
    expect(others).to.deep.equal([])
  })

  it('reports all problems together, each in a sentence', () => {
    const problems = listProblems({
      DATABASE_URL: 'mysql://a/b',
      REDIS_URL: '',
      DATABASE_READ_URL: 'replica',
      PORT: '65536',
      DATABASE_CONNECTIONS_MAX: '0',
      WRITE_WAIT_MS: '1e4',
      DRAIN_MS: '-1',
      WEB_CONCURRENCY: '1.5',
      TRUST_PROXY: 'maybe',
      LOG_LEVEL: 'loud',
      PUBLIC_URL: 'desk.example.com',
    })
    expect(problems).to.deep.equal([
      'DATABASE_URL must be a URL that starts with postgres:// or postgresql://.',
      'PORT must be a whole number from 0 to 65535, not “65536”.',
      'DATABASE_READ_URL must be a URL that starts with postgres:// or postgresql://.',
      'DATABASE_CONNECTIONS_MAX must be a whole number from 1 to 1000, not “0”.',
      'REDIS_URL is not set.',
      'PUBLIC_URL must be a URL that starts with http:// or https://.',
      'TRUST_PROXY must be true or false, not “maybe”.',
      'WRITE_WAIT_MS must be a whole number from 100 to 300000, not “1e4”.',
      'DRAIN_MS must be a whole number from 0 to 600000, not “-1”.',
      'WEB_CONCURRENCY must be a whole number from 1 to 256, not “1.5”.',
      'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, not “loud”.',
    ])
  })

  it('accepts only a number as the Redis database, and only a word as the key prefix', () => {
    for (const REDIS_URL of ['redis://r', 'redis://r/', 'redis://r:6379/15'])
      expect(listProblems({ REDIS_URL }), REDIS_URL).to.deep.equal([])
    expect(listProblems({ REDIS_URL: 'redis://r/berth', REDIS_PREFIX: '{berth}' })).to.deep.equal([
      'REDIS_URL may end with the number of a database, as in redis://host/1.',
      'REDIS_PREFIX must be 1 to 64 letters, digits, “_”, “.”, “:” or “-”.',
    ])
  })

  it('never quotes part of a connection URL in an error, because it may be a password', () => {
    const secret = 'hunter2'
    const broken = `postgres//berth:${secret}@db`
    for (const name of [
      'DATABASE_URL',
      'DATABASE_READ_URL',
      'GATEWAY_DATABASE_URL',
      'REDIS_URL',
      'PUBLIC_URL',
    ]) {
      const problems = listProblems({ [name]: broken })
      expect(problems, name).to.have.length(1)
      expect(problems[0]).to.include(name).and.not.include(secret)
    }
  })
})

describe('a process with an invalid environment', () => {
  let directory: string
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'berth-config-'))
  })
  after(() => rm(directory, { recursive: true }))

  async function run(script: string, environment: Record<string, string> = {}, parameters: string[] = []) {
    const child = spawn(process.execPath, [join(projectDirectory, script), ...parameters], {
      cwd: directory,
      env: { PATH: process.env.PATH, ...environment },
    })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.stderr.on('data', (chunk) => {
      output += chunk
    })
    const [code] = await once(child, 'close')
    return { code, output }
  }

  for (const script of ['dist/gateway/main.js', 'dist/workers/main.js']) {
    it(`lists the problems, and exits with code 1 without a stack trace: ${script}`, async () => {
      const { code, output } = await run(script, { PORT: 'x' })
      expect(code).to.equal(1)
      expect(output).to.equal(
        [
          'Berth cannot start. Please fix its settings:',
          '  - DATABASE_URL is not set.',
          '  - PORT must be a whole number from 0 to 65535, not “x”.',
          '  - REDIS_URL is not set.',
          '',
        ].join('\n'),
      )
    })
  }

  it('reads a .env file, which environment variables override', async () => {
    await writeFile(join(directory, '.env'), 'PORT=from-file\nLOG_LEVEL=from-file\n')
    const { output } = await run('dist/gateway/main.js', { ...REQUIRED_VARIABLES, LOG_LEVEL: 'from-shell' })
    await rm(join(directory, '.env'))
    expect(output).to.include('not “from-file”.').and.include('not “from-shell”.')
  })

  it('names an unknown queue in the error', async () => {
    const { code, output } = await run('dist/workers/main.js', REQUIRED_VARIABLES, ['writes', 'mails'])
    expect(code).to.equal(1)
    expect(output).to.equal('Unknown queue “mails”. The queues are writes, imports, exports, upkeep.\n')
  })
})
