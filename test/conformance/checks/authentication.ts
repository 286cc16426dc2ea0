// Checks part 5 of the interface: authentication.
import { type Check, DISTANT_SLOT_HOURS, range } from '../data.ts'
import { DeviationError, SkippedError } from '../session.ts'

const listReadPaths = (location: number) => [
  'groups',
  'buildings',
  `locations/${location}/bookables`,
  `bookings?${range(0, 1)}`,
  `events?${range(0, 1)}`,
]

export const authenticationChecks: Check[] = [
  {
    name: 'authentication.required',
    rule: '5.1 Every endpoint requires the header Authorization: Bearer <API_TOKEN>',
    async run(session, { location_id, user, desk }) {
      for (const path of [...listReadPaths(location_id), `users/${user.id}`, 'users/export?format=csv'])
        session.refused(await session.ask(`GET ${path}`, undefined, { token: null }), 'there is no token')
      const write = await session.ask(`PATCH bookables/${desk.id}`, {}, { token: null })
      session.refused(write, 'there is no token')
    },
  },
  {
    name: 'authentication.unknown-token',
    rule: '5.1 Every endpoint requires the header Authorization: Bearer <API_TOKEN>',
    async run(session, { location_id }) {
      for (const path of listReadPaths(location_id))
        session.refused(
          await session.ask(`GET ${path}`, undefined, { token: 'unknown' }),
          'the token is unknown',
        )
    },
  },
  {
    name: 'authentication.abilities',
    rule: '5.3 A token carries abilities. Each endpoint requires one ability',
    async run(session, { desk, user }) {
      const { readToken: token } = session.target
      if (!token) throw new SkippedError('--read-token was not given')
      const booking = { bookable_id: desk.id, location_id: desk.location_id, user_id: user.id }
      const form = new FormData()
      form.set('file', new Blob(['name,email\n']), 'users.csv')
      form.set('dry_run', 'true')
      const times = { from_time: range(0, 0), to_time: new Date(DISTANT_SLOT_HOURS).toISOString() }
      const forbidden = [
        await session.ask('GET users/export?format=csv', undefined, { token }),
        await session.ask('POST users/import', undefined, { token, form }),
        await session.ask(`PATCH bookables/${desk.id}`, {}, { token }),
        await session.ask('POST bookings', { ...booking, ...times }, { token }),
        await session.ask('PATCH bookings/1', { to_time: times.to_time }, { token }),
        await session.ask('DELETE bookings/999999999', undefined, { token }),
        await session.ask('POST events', {}, { token }),
      ]
      for (const { status, sent } of forbidden)
        if (status !== 403)
          throw new DeviationError('403: the token has the ability read only', `${sent.path}: ${status}`)
    },
  },
]
