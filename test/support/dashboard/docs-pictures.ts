// Takes the pictures of README and the guide in docs/pictures/: pages of the demo at a working hour of the current
// week, always with the same people and bookings. They are webp files, a third of the size of png.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { seedDemo } from '../../../commands/seed/demo.ts'
import { projectDirectory } from '../../../local/tools/folders.ts'
import { createLog } from '../../../shared/utilities/log.ts'
import { updateDailyFigures } from '../../../workers/pollers/figures/update-daily-figures.ts'
import { signInAs } from '../people/person.ts'
import { createWorld, type World } from '../world.ts'
import { openWindow } from './browser.ts'
import { Browser, createSignedIn } from './dashboard.ts'
import { listGuidePictures, type Picture } from './guide-pictures.ts'
import { reviewImport } from './import-wizard.ts'

const PICTURE_WIDTH = 1280
const PICTURE_HEIGHT = 800
const WEBP_QUALITY = 80
const PHONE_PICTURE = { width: 360, height: 640, isOfPerson: true, isForReadme: true }
const folder = join(projectDirectory, 'docs/pictures')
const assetsFolder = join(projectDirectory, 'gateway/web/browser')
const toSmallPng = (picture: Buffer) => sharp(picture).png({ palette: true, quality: 80 }).toBuffer()

export async function takeDocsPictures(): Promise<void> {
  const now = getWorkingHourMs()
  // With mail configured, the sign-in page asks for an e-mail address.
  const environment = {
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'berth@example.com',
    PUBLIC_URL: 'http://localhost',
  }
  const workers = ['writes', 'imports', 'exports'] as const
  const world = await createWorld({ workers: [...workers], environment, now: () => now })
  await seedDemo(world.database)
  await updateDailyFigures(world.database, createLog('pictures', 'silent'), {
    now: new Date(now).toISOString(),
  })
  const viewer = await createSignedIn(world, 'office@example.com')
  const personId = await findWithDesk(world, now)
  const pictures = await listPictures(world, viewer, now)
  await mkdir(folder, { recursive: true })
  for (const name of await readdir(folder)) await rm(join(folder, name))
  const person = await signInAs(world, personId)
  for (const picture of pictures) {
    const from = picture.isOfPerson ? person : viewer
    await takePicture(from, picture, 'light')
    if (picture.isForReadme) await takePicture(from, picture, 'dark')
  }
  const stranger = new Browser(world.url)
  await stranger.open('/my/sign-in')
  const more = await listGuidePictures(world.database, personId, now)
  for (const picture of more) await takePicture(picture.isOfStranger ? stranger : person, picture, 'light')
  await world.close()
  console.log(`${pictures.length + more.length} pages are pictured in ${folder}`)
}

/** Returns an hour on Wednesday afternoon of the current week, which is the busiest hour of the demo's bookings. */
function getWorkingHourMs(): number {
  const now = new Date()
  const daysToWednesday = 3 - (now.getUTCDay() || 7)
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + daysToWednesday, 13, 10)
}

async function listPictures({ database }: World, viewer: Browser, now: number): Promise<Picture[]> {
  const location = 2
  const desk = await database('bookables')
    .where({ location_id: location, type: 0, status: 0 })
    .whereExists(
      database('bookings').whereRaw(
        "bookable_id = bookables.id AND lower(during) > now() + interval '3 days'",
      ),
    )
    .orderBy('id')
    .first<{ id: number }>('id')
  const people = await database('users').whereNull('deactivated_at').orderBy('id').limit(4).select('id')
  const chosen = people.map(({ id }) => `u${id}`).join(',')
  const day = new Date(now + 86_400_000).toISOString().slice(0, 10)
  // Uses Monday, when some desks of the floor are still free.
  const monday = new Date(now + 5 * 86_400_000).toISOString().slice(0, 10)
  const meeting = `from=${day}T10:00&to=${day}T11:00&zone=Europe/Berlin&building=1&add=${chosen}`
  return [
    { name: 'today', path: '', isForReadme: true },
    { name: 'map', path: `/map?location=${location}`, isForReadme: true },
    { name: 'my-day', path: '/my', ...PHONE_PICTURE },
    { name: 'my-book', path: `/my/book?date=${monday}`, ...PHONE_PICTURE },
    { name: 'my-people', path: '/my/people', ...PHONE_PICTURE },
    { name: 'floor', path: `/places/locations/${location}`, height: 900 },
    { name: 'new-booking', path: `/bookings/new?user=${people[0]?.id}&building=1`, height: 900 },
    { name: 'day', path: '/day?building=1' },
    { name: 'visitors', path: '/visitors', height: 480 },
    { name: 'meeting', path: `/events/new?${meeting}`, height: 1200 },
    { name: 'reports', path: '/reports', height: 1000 },
    { name: 'import', path: await reviewPeople(database, viewer), height: 900 },
    {
      name: 'in-the-way',
      path: `/places/bookables/${desk?.id}`,
      height: 900,
      act: async (page) => {
        await page.getByRole('radio', { name: /^Blocked/ }).check()
        await page.getByRole('button', { name: 'Save changes' }).click()
        await page.getByRole('heading', { name: /conflicting bookings?$/ }).scrollIntoViewIfNeeded()
        await page.mouse.wheel(0, 300)
      },
    },
  ]
}

/** Finds a person with groups who has a desk on that day, and other bookings later. */
async function findWithDesk({ database }: World, now: number): Promise<number> {
  const { rows } = await database.raw(
    `SELECT user_id::int AS id FROM bookings JOIN bookables ON bookables.id = bookable_id
     WHERE user_id IN (SELECT user_id FROM group_members) AND type = 0 AND during @> ?::timestamptz
     ORDER BY user_id LIMIT 1`,
    [new Date(now).toISOString()],
  )
  return rows[0].id
}

async function reviewPeople(database: World['database'], viewer: Browser): Promise<string> {
  const { email } = await database('users').whereNull('deactivated_at').orderBy('id').first()
  const rows = [
    'email,name,groups',
    'nora.lind@harbour.example,Nora Lind,Sales',
    'piotr.zielinski@harbour.example,Piotr Zieliński,Finance',
    `${email},Anna Maria Bauer,Sales`,
    'jonas.weber,Jonas Weber,Sales',
  ]
  const path = await reviewImport(viewer, rows.join('\n'), { update: 'true' })
  return path.slice('/dashboard'.length)
}

async function takePicture(
  viewer: Browser,
  { name, path, width = PICTURE_WIDTH, height = PICTURE_HEIGHT, act, isForReadme, isOfPerson }: Picture,
  colorScheme: 'light' | 'dark',
): Promise<void> {
  const { context, page } = await openWindow(viewer, {
    colorScheme,
    viewport: { width, height },
    deviceScaleFactor: isOfPerson ? 2 : 1,
  })
  await page.goto(isOfPerson ? path : `/dashboard${path}`)
  await act?.(page)
  // Playwright writes only png and jpeg.
  const session = await context.newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: WEBP_QUALITY })
  const file = isForReadme ? `${name}-${colorScheme}.webp` : `${name}.webp`
  await writeFile(join(folder, file), Buffer.from(data, 'base64'))
  // The manifest of the app shows these two, and not every browser shows webp there.
  if (colorScheme === 'light' && ['my-day', 'my-book'].includes(name))
    await writeFile(
      join(assetsFolder, `screenshot-${name}.png`),
      await toSmallPng(await page.screenshot({ scale: 'css' })),
    )
  await context.close()
}
