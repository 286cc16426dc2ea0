// What is said on the next page after something was done: kept for a moment in a cookie that only its own session can
// have made, and not in the address, where anybody could put words into our mouth.
import { timingSafeEqual } from 'node:crypto'
import type { Context } from '../../context.ts'
import { COOKIES, readCookie, setCookie } from './sessions/cookies.ts'
import { derive, type Visitor } from './sessions/sessions.ts'

const KEPT_SECONDS = 60
// A cookie has 4 KiB.
const LENGTH_MAX = 500

export function leaveNotice(ctx: Context, visitor: Visitor, text: string, root: string) {
  const payload = Buffer.from(text.slice(0, LENGTH_MAX)).toString('base64url')
  const value = `${payload}.${sign(visitor, payload).toString('base64url')}`
  setCookie(ctx, COOKIES.notice, value, { root, seconds: KEPT_SECONDS })
}

/** This browser has just done something. */
export function hasNotice(ctx: Context): boolean {
  return readCookie(ctx, COOKIES.notice) !== undefined
}

/** Reads it, and takes it away. */
export function takeNotice(ctx: Context, visitor: Visitor, root: string): string | undefined {
  const cookie = readCookie(ctx, COOKIES.notice)
  if (cookie === undefined) return undefined
  setCookie(ctx, COOKIES.notice, '', { root, seconds: 0 })
  const [payload = '', signature = ''] = cookie.split('.')
  const expected = sign(visitor, payload)
  const actual = Buffer.from(signature, 'base64url')
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return undefined
  return Buffer.from(payload, 'base64url').toString()
}

function sign(visitor: Visitor, payload: string): Buffer {
  return derive(visitor, `notice ${payload}`)
}
