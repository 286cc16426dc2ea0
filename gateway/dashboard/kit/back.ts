// The way back: a link to a form may contain the address of the page that it was on, so that a search is not
// lost.
import { text } from '../../../shared/schemas/fields.ts'
import type { Call } from './page.ts'
import { DASHBOARD, safeNextPath } from './sessions/addresses.ts'

const ADDRESS_MAX = 2_000

export const backQuery = { back: text({ max: ADDRESS_MAX }) }

export type Returning = Call<unknown, { back?: string | undefined }>

/** The path and query of this page, for the query of a link. Undefined if it has no query or is too long. */
export function hereAsBack(call: Pick<Call, 'link' | 'linkHere'>): string | undefined {
  const here = call.linkHere({ back: null }).slice(call.link('/').length)
  return here.includes('?') && here.length <= ADDRESS_MAX ? here : undefined
}

/** The path of the page that the user came from, relative to the dashboard, or the fallback. */
export function backPath(call: Call, fallback: string): string {
  const back = backOf(call)
  return back === undefined ? fallback : safeNextPath(DASHBOARD + back)
}

/** The path of another page, with the address to return to. */
export function withReturnPath(call: Call, path: string): string {
  const back = backOf(call)
  return back === undefined ? path : `${path}?${new URLSearchParams({ back })}`
}

// Undefined on pages without `backQuery`.
const backOf = ({ query }: Call) => (query as Returning['query']).back
