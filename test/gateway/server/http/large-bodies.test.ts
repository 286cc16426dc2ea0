// Tests large and compressed bodies: the limits apply, and refused clients still receive the answer.
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { createDesk, hoursFromNow } from '../../../support/factories.ts'
import type { ApiAnswer } from '../../../support/http/http.ts'
import { type RawOptions, sendRaw } from '../../../support/http/raw-http.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const BODY_BYTES_MAX = 1024 * 1024

describe('request bodies of any size', () => {
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

  function expectRefusal(answer: ApiAnswer, status: number, code: string, detail: string) {
    expect(answer.status).to.equal(status)
    expect(answer.json).to.include({ code, detail })
  }

  describe('a request body above the size limit', () => {
    const detail = 'The body is larger than 1 MiB.'
    const larger = 'x'.repeat(20 * BODY_BYTES_MAX)
    const json = 'Content-Type: application/json'

    it('is refused with 413, but a body of exactly the limit is accepted', async () => {
      const room = BODY_BYTES_MAX - JSON.stringify(await valid({ note: '' })).length
      expect((await client.post('bookings', await valid({ note: 'x'.repeat(room) }))).status).to.equal(200)
      const over = await client.post('bookings', await valid({ note: 'x'.repeat(room + 1) }))
      expectRefusal(over, 413, 'too_large', detail)
    })

    it('gets its answer even if the client reads only after it has written everything', async () => {
      const announced = [json, `Content-Length: ${larger.length}`]
      expectRefusal(await sendHead(announced, [larger], { writeFirst: true }), 413, 'too_large', detail)
      const chunk = `${larger.length.toString(16)}\r\n${larger}\r\n0\r\n\r\n`
      const chunked = await sendHead([json, 'Transfer-Encoding: chunked'], [chunk], { writeFirst: true })
      expectRefusal(chunked, 413, 'too_large', detail)
    })

    it('gets the same answer if another check refuses the request first', async () => {
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

    it('is refused with 413 if only its decompressed content exceeds the limit', async () => {
      const bomb = gzipSync(Buffer.alloc(50 * BODY_BYTES_MAX, ' '))
      expect(bomb.length).to.be.lessThan(BODY_BYTES_MAX)
      expectRefusal(await send(bomb, { 'Content-Encoding': 'gzip' }), 413, 'too_large', detail)
    })
  })

  describe('a compressed request body', () => {
    it('is decompressed before it is parsed', async () => {
      for (const [encoding, pack] of [
        ['gzip', gzipSync],
        ['br', brotliCompressSync],
      ] as const) {
        const answer = await send(pack(JSON.stringify(await valid())), { 'Content-Encoding': encoding })
        expect(answer.status, encoding).to.equal(200)
      }
    })

    it('is refused with 400 if it is corrupt, and with 415 if its coding is unknown', async () => {
      const whole = gzipSync(JSON.stringify(await valid()))
      for (const body of ['{}', whole.subarray(0, 40)]) {
        const broken = await send(body, { 'Content-Encoding': 'gzip' })
        expectRefusal(broken, 400, 'malformed_body', 'The body could not be read completely.')
      }
      const unknown = await send('{}', { 'Content-Encoding': 'zip' })
      const detail = 'The Content-Encoding of the body is not supported.'
      expectRefusal(unknown, 415, 'unsupported_media_type', detail)
    })
  })
})
