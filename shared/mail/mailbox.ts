// Reads the mailbox to which calendar programs send answers to invitations (MAIL_ANSWERS), over IMAP. Berth neither
// stores nor logs the texts of the server's errors, because they may quote the login.
import type { ImapFlow, ImapFlowOptions } from 'imapflow'
import { type Message, message } from '../messages/message.ts'
import { writeEnglish } from '../messages/write-message.ts'
import type { AnswerSettings } from '../settings/answers.ts'
import { isLoopback } from '../utilities/private-networks.ts'

const STEP_MS = 20_000
/** The limit on the size of a mail that Berth reads. An answer has a few kilobytes. */
export const MAIL_BYTES_MAX = 1024 * 1024
const DEFAULT_FOLDER = 'INBOX'

export class MailboxFailure extends Error {
  /** The explanation that administrators see. */
  readonly detail: Message
  /** The kind of failure. The log uses it to report a lasting failure only once. */
  readonly code: keyof typeof DETAILS
  /** The error code of the network or of the IMAP client. */
  readonly reason: string

  constructor(error: unknown) {
    const { code, authenticationFailed, tlsFailed, mailboxMissing } = error as Partial<
      Record<'code' | 'authenticationFailed' | 'tlsFailed' | 'mailboxMissing', unknown>
    >
    const kind = authenticationFailed
      ? 'login'
      : tlsFailed
        ? 'tls'
        : mailboxMissing
          ? 'folder'
          : 'unreachable'
    super(writeEnglish(DETAILS[kind]))
    this.detail = DETAILS[kind]
    this.code = kind
    this.reason = typeof code === 'string' ? code : kind
  }
}

const DETAILS = {
  login: message`The mailbox refused the login.`,
  tls: message`The connection to the mailbox could not be encrypted.`,
  folder: message`The mailbox does not have this folder.`,
  unreachable: message`The mailbox could not be reached.`,
}

export type StoredMail = { uid: number; bytes: number }

export type Mailbox = {
  /** The server changes this number when it gives every mail another id. */
  uidValidity: number
  isReadOnly: boolean
  /** Lists mails with higher ids than `uid`, in the order of their ids. */
  listAfter(uid: number, limit: number): Promise<StoredMail[]>
  /** Returns a mail without marking it as read. Returns undefined if somebody has deleted the mail. */
  read(uid: number): Promise<Buffer | undefined>
  markAsRead(uid: number): Promise<void>
  close(): Promise<void>
}

/** Returns a name for the mailbox, which does not contain the password. */
export function getMailboxName({ imapUrl }: Pick<AnswerSettings, 'imapUrl'>): string {
  const { username, host } = new URL(imapUrl)
  return `${decodeURIComponent(username)}@${host}/${getFolder(imapUrl)}`
}

const getFolder = (imapUrl: string) =>
  decodeURIComponent(new URL(imapUrl).pathname.replace(/^\/|\/$/g, '')) || DEFAULT_FOLDER

/**
 * Connects, signs in and opens the folder. This function and all functions of the mailbox throw a MailboxFailure if
 * they fail.
 */
export async function openMailbox({ imapUrl }: Pick<AnswerSettings, 'imapUrl'>): Promise<Mailbox> {
  const { ImapFlow } = await import('imapflow')
  const client = new ImapFlow(getClientOptions(new URL(imapUrl)))
  // Ignores this event, because the next command reports the error. Without a listener, a connection that breaks
  // between two commands would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { uidValidity, readOnly } = await client.mailboxOpen(getFolder(imapUrl))
    return useConnection(client, { uidValidity: Number(uidValidity), isReadOnly: readOnly === true })
  } catch (error) {
    client.close()
    throw new MailboxFailure(error)
  }
}

// Requires TLS, except on this machine, because the login contains a password.
function getClientOptions({ protocol, hostname, port, username, password }: URL): ImapFlowOptions {
  const secure = protocol === 'imaps:'
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (secure ? 993 : 143)),
    secure,
    ...(secure ? {} : { doSTARTTLS: !isLoopback(hostname) }),
    auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    maxLiteralSize: 2 * MAIL_BYTES_MAX,
  }
}

function useConnection(client: ImapFlow, opened: Pick<Mailbox, 'uidValidity' | 'isReadOnly'>): Mailbox {
  // Some commands return false instead of throwing if the connection breaks.
  const run = async <Result>(command: Promise<Result>): Promise<Result> => {
    try {
      const result = await command
      if (client.usable) return result
    } catch (error) {
      throw new MailboxFailure(error)
    }
    throw new MailboxFailure({ code: 'NoConnection' })
  }
  const byUid = { uid: true }
  return {
    ...opened,
    async listAfter(uid, limit) {
      const found = await run(client.search({ uid: `${uid + 1}:*` }, byUid))
      if (!found) throw new MailboxFailure({ code: 'SEARCH' })
      // In IMAP, this range always includes the last mail of the folder, even if its id is lower.
      const uids = found.filter((each) => each > uid).sort((a, b) => a - b)
      const next = uids.slice(0, limit)
      if (next.length === 0) return []
      const mails = await run(client.fetchAll(next.join(','), { uid: true, size: true }, byUid))
      return mails.map((each) => ({ uid: each.uid, bytes: each.size ?? 0 })).sort((a, b) => a.uid - b.uid)
    },
    async read(uid) {
      const mail = await run(client.fetchOne(String(uid), { source: true }, byUid))
      return mail ? mail.source : undefined
    },
    async markAsRead(uid) {
      await run(client.messageFlagsAdd(String(uid), ['\\Seen'], byUid))
    },
    async close() {
      await client.logout().catch(() => client.close())
    },
  }
}
