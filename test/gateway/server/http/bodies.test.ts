// Tests request bodies: their content type, and invalid, unusual or hostile JSON.
import { expect } from 'chai'
import { parseJson } from '../../../../gateway/server/http/middleware/body.ts'
import { createDesk, hoursFromNow } from '../../../support/factories.ts'
import type { ApiAnswer } from '../../../support/http/http.ts'
import { sendRaw } from '../../../support/http/raw-http.ts'
import { useClient, useWorld } from '../../../support/world.ts'

describe('request bodies', () => {
  const world = useWorld()
  const client = useClient(world, 'booking-write')

  const send = (raw: string | Uint8Array, headers: Record<string, string> = {}) =>
    client.ask('bookings', {
      method: 'POST',
      raw,
      headers: { 'Content-Type': 'application/json', ...headers },
    })
  const sendHead = (lines: string[], parts: string[] = []) => {
    const head = [
      'POST /api/v1/bookings HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${client.token}`,
      ...lines,
    ]
    return sendRaw(world.url, [`${head.join('\r\n')}\r\n\r\n`, ...parts])
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

  describe('the content type of request bodies', () => {
    it('can be application/json, with any parameters and in any letter case', async () => {
      for (const type of ['application/json;charset=utf-8', 'APPLICATION/JSON']) {
        const answer = await send(JSON.stringify(await valid()), { 'Content-Type': type })
        expect(answer.status, type).to.equal(200)
      }
    })

    it('can be application/merge-patch+json for PATCH', async () => {
      const patch = (type: string) =>
        client.ask('bookings/1', { method: 'PATCH', raw: '{}', headers: { 'Content-Type': type } })
      expect((await patch('application/merge-patch+json')).status).to.equal(422)
      expect((await patch('application/json-patch+json')).status).to.equal(415)
    })

    it('is refused with 415 if it is another type', async () => {
      const body = JSON.stringify(await valid())
      for (const type of [
        'text/plain',
        'text/json',
        'application/jsonx',
        'application/vnd.api+json',
        'application/merge-patch+json',
        'multipart/form-data; boundary=x',
      ]) {
        const detail = `The Content-Type must be “application/json” (it is “${type}”).`
        expectRefusal(await send(body, { 'Content-Type': type }), 415, 'unsupported_media_type', detail)
      }
    })

    it('is refused with 415 if it is missing', async () => {
      const detail = 'The Content-Type must be “application/json” (it is missing).'
      expectRefusal(await sendHead(['Content-Length: 2'], ['{}']), 415, 'unsupported_media_type', detail)
      expectRefusal(await sendHead([]), 415, 'unsupported_media_type', detail)
    })
  })

  describe('request bodies that are not JSON', () => {
    for (const text of ['', ' ', '{', '{"a":1,}', "{'a':1}", 'NaN', '{}{}', 'to_time=1', '\u0000']) {
      it(`are refused with 400: ${JSON.stringify(text)}`, async () => {
        expectRefusal(await send(text), 400, 'malformed_body', 'The body is not valid JSON.')
      })
    }

    it('are refused with 400 if they are empty', async () => {
      const answer = await sendHead(['Content-Type: application/json'])
      expectRefusal(answer, 400, 'malformed_body', 'The body is not valid JSON.')
    })

    it('are refused with 400 if any byte is not UTF-8', async () => {
      for (const bytes of [[0xff], [0x22, 0xe4, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22], [0x22, 0xc3]]) {
        const answer = await send(Uint8Array.from(bytes))
        expectRefusal(answer, 400, 'malformed_body', 'The body is not valid UTF-8.')
      }
      const answer = await send(Buffer.from(JSON.stringify({ to_time: 'x' }), 'utf16le'))
      expectRefusal(answer, 400, 'malformed_body', 'The body is not valid JSON.')
    })
  })

  describe('JSON in request bodies', () => {
    const DETAIL = 'The body is nested deeper than 32 levels.'
    const nested = (depth: number) => `{"x": ${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`

    it('is refused with 400 if nested too deeply, wherever the nesting ends', async () => {
      expectRefusal(await send(nested(33)), 400, 'malformed_body', DETAIL)
      expectRefusal(await send('{"a":'.repeat(40)), 400, 'malformed_body', DETAIL)
      expect((await send(nested(32))).status).to.equal(422)
    })

    it('is refused before it is parsed if nested too deeply', async () => {
      const { parse } = JSON
      JSON.parse = () => expect.fail('It is parsed')
      try {
        expect(() => parseJson('['.repeat(1_000_000))).to.throw(DETAIL)
      } finally {
        JSON.parse = parse
      }
    })

    it('is checked for nesting without counting brackets inside strings', async () => {
      const text = '[{"'.repeat(100)
      const answer = await send(JSON.stringify({ ...(await valid()), guest_name: `${text}\\\\`.slice(-200) }))
      expect(answer.status, answer.text).to.equal(200)
    })
  })

  it('can begin with a byte order mark', async () => {
    expect((await send(`\ufeff${JSON.stringify(await valid())}`)).status).to.equal(200)
  })

  it('keeps characters outside ASCII', async () => {
    const booking = await valid({ guest_name: 'Жанна 🚀 d’Arc' })
    expect((await client.post('bookings', booking)).status).to.equal(200)
    const row = await world.database('bookings').where({ bookable_id: booking.bookable_id }).first()
    expect(row.guest_name).to.equal('Жанна 🚀 d’Arc')
  })

  for (const text of ['[]', 'null', '"x"', '3', 'true', '[{"to_time":"x"}]']) {
    it(`is refused with 422 if it is not an object: ${text}`, async () => {
      const answer = await send(text)
      expectRefusal(answer, 422, 'validation_failed', 'The body must be a JSON object.')
      expect(answer.json.errors).to.deep.equal({ body: ['The body must be a JSON object.'] })
    })
  }

  describe('unusual or hostile request bodies', () => {
    it('use the last value if a member name is repeated', async () => {
      const fields = JSON.stringify(await valid())
      expect((await send(`{"bookable_id":"x",${fields.slice(1)}`)).status).to.equal(200)
      expect((await send(`${fields.slice(0, -1)},"bookable_id":"x"}`)).status).to.equal(422)
    })

    it('cannot change inherited properties of objects', async () => {
      const fields = JSON.stringify(await valid()).slice(0, -1)
      const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then']
      const members = names.map((name) => `"${name}":{"to_time":null,"polluted":true}`)
      expect((await send(`${fields},${members}}`)).status).to.equal(200)
      expect(({} as Record<string, unknown>).polluted).to.equal(undefined)
      const inherited = await send('{"__proto__":{"bookable_id":1,"user_id":1,"location_id":1}}')
      expect(inherited.json.errors.bookable_id).to.deep.equal(['bookable_id is required.'])
    })

    it('are refused with 422 if a text contains characters that cannot be stored', async () => {
      const sentence = 'guest_name must not contain control characters or invalid Unicode.'
      for (const text of [
        '\\u0000',
        'a\\u0007b',
        '\\u007f',
        '\\u0085',
        '\\u009b',
        '\\ud800',
        '\\udc00\\ud800x',
      ]) {
        const fields = JSON.stringify(await valid()).slice(0, -1)
        const answer = await send(`${fields},"guest_name":"Ada ${text} L."}`)
        expect(answer.json.errors, text).to.deep.equal({ guest_name: [sentence] })
      }
      const lines = await valid({ guest_name: 'Ada\tKing\r\nLovelace', booking_info: 'é\u0301\u202e\ufeff' })
      expect((await client.post('bookings', lines)).status).to.equal(200)
    })
  })
})
