// Shared helpers for the checks of Berth's additions to the interface.
import { DISTANT_SLOT_HOURS, hours, type TestData, toNumber } from './data.ts'
import { type Exchange, type Session, SkippedError } from './session.ts'
import { at, type Json, type Shape } from './shapes.ts'

export const FREE_SLOT_HOURS = DISTANT_SLOT_HOURS + 120
export const createRandomName = () => `Conformance ${Math.random().toString(36).slice(2)}`
/** Returns a random license plate in capital letters, because a server may convert plates to capitals. */
export const createRandomPlate = () => createRandomName().toUpperCase()

/** Skips the check if the server does not have the endpoint. */
export function answered(
  session: Session,
  exchange: Exchange,
  status: number,
  shape?: Shape,
): Json | undefined {
  if ([404, 405].includes(exchange.status)) throw new SkippedError(`the server has no ${exchange.sent.path}`)
  return session.answered(exchange, status, shape)
}

/** Creates a resource, and deletes it at the end of the run. */
export async function create(session: Session, path: string, body: object, shape?: Shape) {
  const created = at(answered(session, await session.ask(`POST ${path}`, body), 200, shape), 'data')
  const id = toNumber(at(created, 'id') ?? at(created, 0, 'id'))
  const [address] = path.split('?')
  session.deleteLater(`${address} ${id}`, () => session.ask(`DELETE ${address}/${id}`))
  return id
}

export const bookDesk = (
  session: Session,
  { desk, user, location_id }: TestData,
  from: number,
  clock = hours,
) =>
  create(session, 'bookings', {
    bookable_id: desk.id,
    location_id,
    user_id: user.id,
    from_time: clock(from),
    to_time: clock(from + 1),
  })

export const expectUnknownRefused = async (session: Session, path: string) =>
  session.refused(await session.ask(`GET ${path}`), 'there is no such id')

/** Returns the value at the given path in the data of an answer. */
export const getDataAt = (exchange: Exchange, ...path: Array<string | number>) =>
  at(exchange.json, 'data', ...path)

export const getEtag = ({ headers }: Exchange) => headers.get('ETag') ?? 'none'

/** Expects the documented status and code of a refusal. */
export function expectRefusal(
  session: Session,
  exchange: Exchange,
  status: number,
  code: string,
  why: string,
): void {
  const got = `${exchange.status} ${at(exchange.json, 'code')}`
  session.must(got === `${status} ${code}`, `${status} ${code}: ${why}`, got)
}
