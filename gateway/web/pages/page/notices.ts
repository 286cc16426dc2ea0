// The message that the next page shows after an action, with a link to more about it. Both are kept briefly in a cookie signed
// with the session, and not in the address, because anybody could write a message there.
import { cutText } from '../../../../shared/utilities/texts.ts'
import type { Context } from '../../../server/services/context.ts'
import { COOKIES, readCookie, setCookie } from '../../sessions/cookies.ts'
import { deriveSecret, equalSecrets } from '../../sessions/secrets.ts'
import type { Viewer } from '../../sessions/sessions.ts'

const LIFETIME_SECONDS = 60
// A cookie is limited to 4 KiB.
const LENGTH_MAX = 500

/** In this order: it worked, is only information, needs attention, or failed. */
export type Tone = 'good' | 'neutral' | 'warn' | 'bad'

/** `more` is a page about it; `undo` is the entry of the audit log with what the action did, if it can be undone. */
export type Notice = {
  text: string
  /** Defaults to `good`. */
  tone?: Tone | undefined
  more?: { label: string; path: string } | undefined
  undo?: number | undefined
  /** Entries of other writes of the action, which are undone with it. */
  undoAlso?: number[] | undefined
}

export function setNotice(ctx: Context, viewer: Viewer, { text, ...rest }: Notice, root: string) {
  const notice: Notice = { text: cutText(text, LENGTH_MAX), ...rest }
  const payload = Buffer.from(JSON.stringify(notice)).toString('base64url')
  const value = `${payload}.${sign(viewer, payload)}`
  setCookie(ctx, COOKIES.notice, value, { root, seconds: LIFETIME_SECONDS })
}

/** Reads the notice and deletes it. */
export function takeNotice(ctx: Context, viewer: Viewer, root: string): Notice | undefined {
  const cookie = readCookie(ctx, COOKIES.notice)
  if (cookie === undefined) return undefined
  setCookie(ctx, COOKIES.notice, '', { root, seconds: 0 })
  const [payload = '', signature = ''] = cookie.split('.')
  if (!equalSecrets(signature, sign(viewer, payload))) return undefined
  return JSON.parse(Buffer.from(payload, 'base64url').toString())
}

function sign(viewer: Viewer, payload: string): string {
  return deriveSecret(viewer, `notice ${payload}`).toString('base64url')
}
