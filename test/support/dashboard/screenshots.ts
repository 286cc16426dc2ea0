// Takes a picture of every page of the dashboard with the demo data: in two widths, light and dark. Saves them for
// people in .berth/screenshots/: npm run screenshots [pattern of a path]. npm run screenshots docs retakes the pictures
// of the documentation in docs/pictures/.
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { seedDemo } from '../../../commands/seed/demo.ts'
import { projectDirectory } from '../../../local/tools/folders.ts'
import { mochaGlobalSetup, mochaGlobalTeardown } from '../setup.ts'
import { createWorld } from '../world.ts'
import { closeBrowser, findChromium, openWindow } from './browser.ts'
import { Browser, createSignedIn } from './dashboard.ts'
import { takeDocsPictures } from './docs-pictures.ts'
import { listEveryPage } from './every-page.ts'

const WIDTHS = [360, 1440]
const HEIGHT = 900
const folder = join(projectDirectory, '.berth/screenshots')

if (!findChromium()) {
  console.error('There is no Chromium to take pictures with: apt-get install chromium')
  process.exit(1)
}
const wanted = new RegExp(process.argv[2] ?? '')
await mochaGlobalSetup()
try {
  if (process.argv[2] === 'docs') {
    await takeDocsPictures()
  } else {
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
    await takePictures()
  }
} finally {
  await closeBrowser()
  await mochaGlobalTeardown()
}

async function takePictures(): Promise<void> {
  const world = await createWorld({ workers: ['writes', 'imports', 'exports', 'upkeep'] })
  await seedDemo(world.database)
  const signedIn = await createSignedIn(world)
  for (const { page, path } of await listEveryPage(world)) {
    if (!wanted.test(path)) continue
    const name = path.slice('/dashboard/'.length).replaceAll('/', '-') || 'home'
    for (const width of WIDTHS) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const viewer = page.access === 'signed-in' ? signedIn : new Browser(world.url)
        const { context, page: shown } = await openWindow(viewer, {
          colorScheme,
          viewport: { width, height: HEIGHT },
        })
        await shown.goto(path)
        await shown.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true })
        await context.close()
      }
    }
  }
  await world.close()
  console.log(`The pictures are in ${folder}`)
}
