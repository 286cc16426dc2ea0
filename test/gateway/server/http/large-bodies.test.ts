// Large or compressed bodies: the limits apply, and refused clients still see the answer.
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { createDesk, hoursFromNow } from '../../../support/factories.ts'
import type { Answered } from '../../../support/http/http.ts'
import { type RawOptions, sendRaw } from '../../../support/http/raw-http.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const LIMIT = 1024 * 1024

describe('a body', () => {
  const world = useWorld()
  const client = useClient(world, 'booking-write')

  const send = (raw: string | Uint8Array, headers: Record<string, string> = {}) =>
    client.ask('bookings', {
      method: 'POST',
      raw,
      headers: { 'Content-Type': 'application/json', ...headers },
    })
  const sendHead = (lines: string[], parts: string[], options: RawOptions) => {
    const head = [
      'POST /api/v1/bookings HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${client.token}`,
      ...lines,
    ]
    return sendRaw(world.url, [`${head.join('\r\n')}\r\n\r\n`, ...parts], options)
  }
  const valid = async (changes: Record<string, unknown> = {}) => ({
    ...(await createDesk(world.database)),
    to_time: hoursFromNow(2),
    ...changes,
  })

  function expectRefusal(answer: Answered, status: number, code: string, detail: string) {
    expect(answer.status).to.equal(status)
    expect(answer.json).to.include({ code, detail })
  }

  describe('that is too large', () => {
    const detail = 'The body is larger than 1 MiB.'
    const larger = 'x'.repeat(20 * LIMIT)
    const json = 'Content-Type: application/json'

    it('is refused with 413, but not at exactly the limit', async () => {
      const room = LIMIT - JSON.stringify(await valid({ note: '' })).length
      expect((await client.post('bookings', await valid({ note: 'x'.repeat(room) }))).status).to.equal(200)
      const over = await client.post('bookings', await valid({ note: 'x'.repeat(room + 1) }))
      expectRefusal(over, 413, 'too_large', detail)
    })

    it('is answered to a client that reads only after it has written everything', async () => {
      const announced = [json, `Content-Length: ${larger.length}`]
      expectRefusal(await sendHead(announced, [larger], { writeFirst: true }), 413, 'too_large', detail)
      const chunk = `${larger.length.toString(16)}\r\n${larger}\r\n0\r\n\r\n`
      const chunked = await sendHead([json, 'Transfer-Encoding: chunked'], [chunk], { writeFirst: true })
      expectRefusal(chunked, 413, 'too_large', detail)
    })

    it('is answered in the same way if something else is refused earlier', async () => {
      const length = `Content-Length: ${larger.length}`
      const untyped = await sendHead([length], [larger], { writeFirst: true })
      expect(untyped.status).to.equal(415)
      const head = `POST /api/v1/bookings HTTP/1.1\r\nHost: x\r\n${json}\r\n${length}\r\n\r\n`
      const nobody = await sendRaw(world.url, [head, larger], { writeFirst: true })
      expect(nobody.status).to.equal(401)
    })

    it('is not read to its end', async () => {
      const chunk = `${larger.length.toString(16)}\r\n${larger}\r\n`
      const endless = Array.from({ length: 5 }, () => chunk)
      const answer = await sendHead([json, 'Transfer-Encoding: chunked'], endless, {
        writeFirst: true,
      }).catch((error: Error) => error.message)
      expect(answer).to.match(/ECONNRESET|EPIPE/)
    })

    it('is refused with 413 if it is too large when decompressed', async () => {
      const bomb = gzipSync(Buffer.alloc(50 * LIMIT, ' '))
      expect(bomb.length).to.be.lessThan(LIMIT)
      expectRefusal(await send(bomb, { 'Content-Encoding': 'gzip' }), 413, 'too_large', detail)
    })
  })

  describe('that is compressed', () => {
    it('is decompressed', async () => {
      for (const [encoding, pack] of [
        ['gzip', gzipSync],
        ['br', brotliCompressSync],
      ] as const) {
        const answer = await send(pack(JSON.stringify(await valid())), { 'Content-Encoding': encoding })
        expect(answer.status, encoding).to.equal(200)
      }
    })

    it('is refused with 400 if corrupt, and with 415 in an unknown coding', async () => {
      const whole = gzipSync(JSON.stringify(await valid()))
      for (const body of ['{}', whole.subarray(0, 40)]) {
        const broken = await send(body, { 'Content-Encoding': 'gzip' })
        expectRefusal(broken, 400, 'malformed_body', 'The body could not be read to the end.')
      }
      const unknown = await send('{}', { 'Content-Encoding': 'zip' })
      const detail = 'The Content-Encoding of the body is not supported.'
      expectRefusal(unknown, 415, 'unsupported_media_type', detail)
    })
  })
})
