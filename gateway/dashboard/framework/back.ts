// The way back: a link to a form may carry where it was found, so that a search is not lost over it.
import { text } from '../../../shared/contracts/fields.ts'
import { DASHBOARD, safeNextPath } from './addresses.ts'
import type { Call } from './page.ts'

const ADDRESS_MAX = 2_000

export const backQuery = { back: text({ max: ADDRESS_MAX }) }

export type Returning = Call<unknown, { back?: string | undefined }>

/** This page and what it was asked for, as the query of a link has it; nothing where it is the page alone, or too long. */
export function hereAsBack(call: Pick<Call, 'link' | 'linkHere'>): string | undefined {
  const here = call.linkHere({ back: null }).slice(call.link('/').length)
  return here.includes('?') && here.length <= ADDRESS_MAX ? here : undefined
}

/** The path that somebody came from, below the dashboard; that of the fallback where none is named. */
export function backPath({ query: { back } }: Returning, fallback: string): string {
  return back === undefined ? fallback : safeNextPath(DASHBOARD + back)
}

/** A path that keeps the way back: that of another page of what was found there. */
export function keepBack({ query: { back } }: Returning, path: string): string {
  return back === undefined ? path : `${path}?${new URLSearchParams({ back })}`
}
