// Runs the client's README in Chromium, on a page of another origin.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { browser, useChromium } from '../support/dashboard/browser.ts'
import { eventually } from '../support/time.ts'
import { useWith } from '../support/use.ts'
import { useClient, useWorld } from '../support/world.ts'
import { compileProgram, useInstalledClient } from './support/package.ts'
import { createReadmeProgram, readExpectedOutput } from './support/readme.ts'
import { createTown } from './support/town.ts'

const PAGE =
  '<!doctype html><script type="importmap">{"imports":{"@berth/client":"/client/index.js"}}</script>'

describe('@berth/client in a browser', function suite() {
  this.timeout(120_000)
  useChromium()
  const world = useWorld({ environment: { CORS_ORIGINS: '*' } })
  const owner = useClient(world)
  const installed = useInstalledClient()
  const site = useWith(
    world,
    () => startSite(),
    ({ close }) => close(),
  )

  it("runs every example of the client's README", async () => {
    await createTown(world.database)
    await compileProgram(installed.folder, 'readme', createReadmeProgram())
    const page = await (await browser()).newPage()
    const printed: string[] = []
    page.on('console', (message) => printed.push(message.text()))
    page.on('pageerror', (error) => printed.push(String(error)))
    await page.goto(site.url)
    const env = { BERTH_URL: world.url, BERTH_TOKEN: owner.token }
    await page.evaluate(`globalThis.process = { env: ${JSON.stringify(env)} }; import('/readme.js')`)
    const expected = readExpectedOutput()
    await eventually(() => expect(printed.length).to.be.at.least(expected.length))
    // The browser console also prints failed requests.
    expect(printed.filter((line) => !line.startsWith('Failed to load resource'))).to.deep.equal(expected)
    await page.close()
  })

  async function startSite() {
    const server = createServer(({ url = '' }, response) => {
      const file = url.replace('/client/', '/node_modules/@berth/client/dist/')
      if (url === '/') return response.setHeader('Content-Type', 'text/html').end(PAGE)
      if (!url.endsWith('.js')) return response.writeHead(404).end()
      response.setHeader('Content-Type', 'text/javascript').end(readFileSync(join(installed.folder, file)))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const close = () => new Promise((resolve) => server.close(resolve).closeAllConnections())
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close }
  }
})
