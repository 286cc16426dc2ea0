// Tests fetching pictures of people from the addresses that identity providers give, and its limits.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createLog } from '../../../shared/utilities/log.ts'
import { startHooks } from '../../../workers/hooks/hooks.ts'
import { drawPng } from '../../support/dashboard/pictures.ts'
import { createUser } from '../../support/factories.ts'
import { eventually } from '../../support/time.ts'
import { useWith } from '../../support/use.ts'
import { useWorld } from '../../support/world.ts'

describe('pictures from identity providers', () => {
  const world = useWorld({ workers: [] })
  const asked: string[] = []
  let origin = ''
  const answers: Record<
    string,
    { status?: number; headers?: Record<string, string>; body?: Buffer | string }
  > = {
    '/ada.png': { body: drawPng(300, 200) },
    '/moved': { status: 302, headers: { Location: '/ada.png' } },
    '/inwards': { status: 302, headers: { Location: 'http://10.0.0.1/secret.png' } },
    '/circle': { status: 302, headers: { Location: '/circle' } },
    '/page': { headers: { 'Content-Type': 'image/png' }, body: '<html>sign in</html>' },
    '/endless': { body: Buffer.alloc(11 * 1024 * 1024) },
  }
  useWith(
    world,
    async () => {
      const server = createServer((request, response) => {
        asked.push(request.url ?? '')
        const { status = 200, headers = {}, body = '' } = answers[request.url ?? ''] ?? { status: 404 }
        response.writeHead(status, headers).end(body)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      return server
    },
    (server) => new Promise((resolve) => server.close(resolve)),
  )
  useWith(
    world,
    () =>
      startHooks(
        { ...world.config, webhookAllowPrivate: ['127.0.0.1'], metricsPort: undefined },
        createLog('test', 'silent'),
      ),
    (hooks) => hooks.stop(),
  )

  async function provide(path: string, row: Record<string, unknown> = {}): Promise<number> {
    const user_id = await createUser(world.database)
    await world.database('user_pictures').insert({
      user_id,
      source: 'provider',
      provider_url: path.startsWith('/') ? origin + path : path,
      fetch_at: new Date(),
      ...row,
    })
    return user_id
  }
  const find = (user_id: number) => world.database('user_pictures').where({ user_id }).first()

  it('are fetched, also after a redirect, and stored as small squares', async () => {
    for (const path of ['/ada.png', '/moved']) {
      const id = await provide(path)
      await eventually(async () => expect((await find(id)).picture).to.be.instanceOf(Buffer))
      const { picture, fetch_at, fetched_at } = await find(id)
      expect(picture.toString('latin1', 0, 12)).to.match(/^RIFF.{4}WEBP$/s)
      expect(fetch_at).to.equal(null)
      expect(fetched_at).to.not.equal(null)
    }
  })

  const refused = [
    '/missing',
    '/inwards',
    '/circle',
    '/page',
    '/endless',
    'http://10.0.0.1/a.png',
    'file:///etc/passwd',
  ]
  for (const path of refused)
    it(`are tried again later, and not stored: ${path}`, async () => {
      const id = await provide(path)
      await eventually(async () => expect((await find(id)).fetch_tries).to.equal(1))
      await eventually(async () => expect((await find(id)).picture).to.equal(null))
      expect(new Date((await find(id)).fetch_at).getTime()).to.be.above(Date.now())
    })

  it('are not fetched again after five failed tries', async () => {
    const id = await provide('/missing', { fetch_tries: 4 })
    await eventually(async () => expect(await find(id)).to.include({ fetch_tries: 5, fetch_at: null }))
  })

  it('do not replace a picture that the person has uploaded in the meantime', async () => {
    const id = await provide('/ada.png', { source: 'person' })
    await eventually(async () => expect((await find(id)).fetch_tries).to.equal(1))
    const before = asked.length
    await eventually(async () => expect(asked.length).to.be.at.least(before))
    expect((await find(id)).picture).to.equal(null)
  })
})
