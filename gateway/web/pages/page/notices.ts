// The message that the next page shows after an action, with a link to more about it. The message and the
// link are kept briefly in a cookie that is signed with the session. They are not in the address, because
// anybody could put a message there.
import { cutText } from '../../../../shared/utilities/texts.ts'
import type { Context } from '../../../server/services/context.ts'
import { COOKIE_NAMES, readCookie, setCookie } from '../../sessions/cookies.ts'
import { areSecretsEqual, deriveSecret } from '../../sessions/secrets.ts'
import type { Viewer } from '../../sessions/sessions.ts'

const NOTICE_LIFETIME_SECONDS = 60
// The maximum length of a message, because a cookie is limited to 4 KiB.
const NOTICE_LENGTH_MAX = 500

/** The tone of a message: success, information, warning or failure. */
export type NoticeTone = 'good' | 'neutral' | 'warn' | 'bad'

/**
 * A notice. `more` is a page with details. `undo` is the audit log entry of the action's write, if the write can be
 * undone.
 */
export type Notice = {
  text: string
  /** The tone of the notice. Defaults to `good`. */
  tone?: NoticeTone | undefined
  more?: { label: string; path: string } | undefined
  undo?: number | undefined
  /** The audit log entries of the action's other writes, which are undone together with the first one. */
  undoAlso?: number[] | undefined
}

export function setNotice(ctx: Context, viewer: Viewer, { text, ...rest }: Notice, root: string) {
  const notice: Notice = { text: cutText(text, NOTICE_LENGTH_MAX), ...rest }
  const payload = Buffer.from(JSON.stringify(notice)).toString('base64url')
  const value = `${payload}.${signNotice(viewer, payload)}`
  setCookie(ctx, COOKIE_NAMES.notice, value, { root, seconds: NOTICE_LIFETIME_SECONDS })
}

/** Reads the notice from its cookie, and deletes the cookie. */
export function readAndDeleteNotice(ctx: Context, viewer: Viewer, root: string): Notice | undefined {
  const cookie = readCookie(ctx, COOKIE_NAMES.notice)
  if (cookie === undefined) return undefined
  setCookie(ctx, COOKIE_NAMES.notice, '', { root, seconds: 0 })
  const [payload = '', signature = ''] = cookie.split('.')
  if (!areSecretsEqual(signature, signNotice(viewer, payload))) return undefined
  return JSON.parse(Buffer.from(payload, 'base64url').toString())
}

function signNotice(viewer: Viewer, payload: string): string {
  return deriveSecret(viewer, `notice ${payload}`).toString('base64url')
}
