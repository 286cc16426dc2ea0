// A real IMAP server for tests: Debian's dovecot, with a separate folder. Every user exists and has an empty mailbox.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { ImapFlow } from 'imapflow'
import { eventually } from '../../../support/time.ts'
import { use } from '../../../support/use.ts'

const PROGRAM = '/usr/sbin/dovecot'
const PASSWORD = 'imap-pass-word'

/** Declares a suite that needs dovecot. Without it, the suite is skipped with a notice. */
export function describeWithDovecot(title: string, suite: (this: Mocha.Suite, dovecot: TestDovecot) => void) {
  if (!existsSync(PROGRAM)) return describe.skip(`${title} (there is no dovecot)`, () => undefined)
  return describe(title, function withDovecot() {
    this.timeout(120_000)
    suite.call(this, use(startDovecot, { close: (dovecot) => dovecot.close() }))
  })
}

export type TestDovecot = {
  port: number
  /** The value of MAIL_ANSWERS for the mailbox of a user. */
  urlOf(user: string, port?: number): string
  /** Adds a mail to the inbox of a user, as a mail server does. */
  deliver(user: string, mail: string | Buffer): Promise<void>
  /** Returns the ids of the user's mails, and of those that are marked as read. */
  list(user: string): Promise<{ all: number[]; read: number[] }>
  start(): Promise<void>
  stop(): Promise<void>
  close(): Promise<void>
}

async function startDovecot(): Promise<TestDovecot> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-dovecot-'))
  const port = await findFreePort()
  const file = join(folder, 'dovecot.conf')
  writeFileSync(file, configOf(folder, port))
  let child: ChildProcess | undefined
  const use = async <Result>(user: string, work: (client: ImapFlow) => Promise<Result>) => {
    const auth = { user, pass: PASSWORD }
    const client = new ImapFlow({
      host: '127.0.0.1',
      port,
      secure: false,
      doSTARTTLS: false,
      auth,
      logger: false,
    })
    await client.connect()
    await client.mailboxOpen('INBOX')
    return work(client).finally(() => client.logout())
  }
  const started: TestDovecot = {
    port,
    urlOf: (user, at = port) =>
      `imap://${encodeURIComponent(user)}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${at}/INBOX`,
    deliver: (user, mail) =>
      use(user, async (client) => {
        await client.append('INBOX', typeof mail === 'string' ? Buffer.from(mail) : mail)
      }),
    list: (user) =>
      use(user, async (client) => ({
        all: (await client.search({ all: true }, { uid: true })) || [],
        read: (await client.search({ seen: true }, { uid: true })) || [],
      })),
    async start() {
      child = spawn(PROGRAM, ['-F', '-c', file], { stdio: 'ignore' })
      await eventually(() => isListening(port))
    },
    async stop() {
      if (!child || child.exitCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
    async close() {
      await started.stop()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  await started.start()
  return started
}

function configOf(folder: string, port: number): string {
  const { uid, gid, username } = userInfo()
  const isRoot = uid === 0
  // Dovecot stores no mails as root.
  const owner = isRoot ? { uid: idOf('-u', 'mail'), gid: idOf('-g', 'mail') } : { uid, gid }
  const mails = join(folder, 'mails')
  mkdirSync(mails)
  if (isRoot) {
    chownSync(mails, owner.uid, owner.gid)
    chownSync(folder, owner.uid, owner.gid)
  }
  const users = isRoot ? '' : `default_internal_user = ${username}\ndefault_login_user = ${username}\n`
  return `${users}base_dir = ${folder}/run
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
mail_location = maildir:${mails}/%u
first_valid_uid = 1
mail_max_userip_connections = 100
passdb {
  driver = static
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=${owner.uid} gid=${owner.gid} home=${mails}/%u
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
`
}

const idOf = (kind: string, user: string) => Number(execFileSync('id', [kind, user], { encoding: 'utf8' }))

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('There is no free port')
  return address.port
}

async function isListening(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'data')
  socket.destroy()
}
