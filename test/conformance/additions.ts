// What the checks of Berth's additions share.
import { FAR_HOURS, type Found, hours, numberOf } from './data.ts'
import { type Exchange, type Session, Skipped } from './session.ts'
import { at, type Json, type Shape } from './shapes.ts'

export const SLOT = FAR_HOURS + 120
export const NAME = () => `Conformance ${Math.random().toString(36).slice(2)}`
/** A server may store plates in capital letters. */
export const PLATE = () => NAME().toUpperCase()

/** Skips the check if the server does not have the endpoint. */
export function answered(
  session: Session,
  exchange: Exchange,
  status: number,
  shape?: Shape,
): Json | undefined {
  if ([404, 405].includes(exchange.status)) throw new Skipped(`the server has no ${exchange.sent.path}`)
  return session.answered(exchange, status, shape)
}

/** Creates something, and deletes it in the end. */
export async function create(session: Session, path: string, body: object, shape?: Shape) {
  const created = at(answered(session, await session.ask(`POST ${path}`, body), 200, shape), 'data')
  const id = numberOf(at(created, 'id') ?? at(created, 0, 'id'))
  const [address] = path.split('?')
  session.owes(`${address} ${id}`, () => session.ask(`DELETE ${address}/${id}`))
  return id
}

export const book = (session: Session, { desk, user, location_id }: Found, from: number, clock = hours) =>
  create(session, 'bookings', {
    bookable_id: desk.id,
    location_id,
    user_id: user.id,
    from_time: clock(from),
    to_time: clock(from + 1),
  })

export const refusesUnknown = async (session: Session, path: string) =>
  session.refused(await session.ask(`GET ${path}`), 'there is no such id')

/** A member of what data is. */
export const dataAt = (exchange: Exchange, ...path: Array<string | number>) =>
  at(exchange.json, 'data', ...path)

export const etagOf = ({ headers }: Exchange) => headers.get('ETag') ?? 'none'

/** The status and the code of a refusal that the documentation names. */
export function refusedAs(
  session: Session,
  exchange: Exchange,
  status: number,
  code: string,
  why: string,
): void {
  const got = `${exchange.status} ${at(exchange.json, 'code')}`
  session.must(got === `${status} ${code}`, `${status} ${code}: ${why}`, got)
}
