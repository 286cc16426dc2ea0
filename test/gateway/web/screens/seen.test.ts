// Tests that a screen stays up to date even if Berth cannot store when the screen was last on.
import { expect } from 'chai'
import { createBookable, createUser } from '../../../support/factories.ts'
import { createScreen, followScreen } from '../../../support/screens/screens.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'

describe('a screen whose last-seen time cannot be stored', () => {
  const lines: string[] = []
  const world = useWorld({ onLog: (line) => lines.push(line) })

  it('stays up to date, and the log contains the error', async () => {
    const { database, url } = world
    await database.raw(`
      CREATE FUNCTION refuse_update() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not now'; END $$;
      CREATE TRIGGER refuse_update BEFORE UPDATE ON screens FOR EACH ROW EXECUTE FUNCTION refuse_update()`)
    const bookable_id = await createBookable(database, { type: 2, name: 'Aspen' })
    const booking_user_id = await createUser(database)
    const { path } = await createScreen(database, { bookable_id, booking_user_id })
    const feed = await followScreen(url, path)
    try {
      const contents = () => feed.events.filter(({ event }) => event === 'content')
      await eventually(() => expect(contents()).to.have.length(1))
      await eventually(() =>
        expect(lines.join('\n')).to.include('the last-seen times of screens cannot be stored'),
      )
      await fetch(url + path, {
        method: 'POST',
        body: new URLSearchParams({ action: 'book', minutes: '15' }),
      })
      await eventually(() => expect(contents()).to.have.length(2))
      expect(lines.join('\n')).to.not.include('the screens cannot be brought up to date')
      await database.raw('DROP TRIGGER refuse_update ON screens')
      await eventually(async () => {
        const screen = await database('screens').first('last_seen_at')
        expect(screen.last_seen_at).to.not.equal(null)
      })
    } finally {
      feed.close()
    }
  })
})
