import { describe, expect, it } from 'vitest'
import { checkedFormat, matchesFormat } from './formats.ts'

describe('matchesFormat', () => {
  it.each([
    ['date', ['2024-02-29'], ['2023-02-29', '2024-2-1', '2024-13-01', '']],
    [
      'date-time',
      ['2024-01-02T03:04:05Z', '2024-01-02t03:04:05.123+01:00'],
      ['2024-01-02', '2024-01-02T24:00:00Z', '2024-01-02T03:04:05'],
    ],
    ['duration', ['1h30m', '0', '-1.5s', '22 ns', '3 days'], ['', 'h', '5', '1x']],
    ['ipv4', ['10.0.0.1', '010.0.0.1'], ['10.0.0', '10.0.0.256', '::1']],
    ['ipv6', ['::1', '2001:db8::1'], ['1.2.3.4', ':::', 'fe80::1%eth0']],
    ['cidr', ['10.0.0.0/8', '::/0'], ['10.0.0.0', '10.0.0.0/33', '::/129']],
    [
      'mac',
      ['00:11:22:33:44:55', '0123.4567.89ab', '00-11-22-33-44-55-66-77'],
      ['00:11:22', '0:1:2:3:4:5', '00:11-22:33:44:55'],
    ],
    ['uuid', ['D9428888-122b-11e1-b85c-61cd3cbb3210', 'd9428888122b11e1b85c61cd3cbb3210'], ['d9428888-122b', '']],
    ['uuid4', ['57b73598-8764-4ad0-a76a-679bb6640eb1'], ['57b73598-8764-3ad0-a76a-679bb6640eb1']],
    ['email', ['a@b.c', 'Name <a@b.c>'], ['a', '@b', 'a@', 'a b@c', '.a@b']],
    [
      'uri',
      ['http://example.com/x?y#z', '/path', 'urn:a:b'],
      ['', 'relative/path', 'http://a b/', 'http://[::1', '/%zz', 'http://h:port/'],
    ],
    ['hostname', ['example.com', 'a-b', 'a1.b-c.io'], ['', '-a.com', 'a_b', 'example.c', `${'a'.repeat(64)}.com`]],
    ['byte', ['YWJj', 'YQ=='], ['YQ', 'Y===', '']],
    ['k8s-short-name', ['a-1'], ['A', '-a', 'a'.repeat(64)]],
    ['k8s-long-name', ['a.b-c'], ['a..b', 'A.b']],
    ['creditcard', ['4111 1111 1111 1111'], ['4111 1111 1111 1112', '1']],
    ['isbn', ['0321751043', '978-0321751041'], ['0321751044', '978']],
    ['hexcolor', ['#fff', 'FFFFFF'], ['#ffff']],
    ['rgbcolor', ['rgb(0, 128,255)'], ['rgb(0,0,256)', 'rgb(00,0,0)']],
    ['ssn', ['123-45-6789'], ['123456789']],
    ['password', ['anything'], []],
    ['bsonobjectid', ['507f1f77bcf86cd799439011'], ['507f']],
  ])('%s', (format, valid, invalid) => {
    expect(valid.filter((text) => !matchesFormat(format, text))).toEqual([])
    expect(invalid.filter((text) => matchesFormat(format, text))).toEqual([])
  })

  it.each(['email', 'hostname', 'uri', 'duration', 'ipv4', 'cidr'])('checks a long hostile %s quickly', (format) => {
    for (const piece of ['a', '.', '1', 'a@', '0', '1 a', '<']) matchesFormat(format, piece.repeat(100_000))
  })
})

describe('checkedFormat', () => {
  it.each([
    [{ type: 'string', format: 'date' }, 'date'],
    [{ type: 'string', format: 'int32' }, undefined],
    [{ type: 'integer', format: 'int32' }, 'int32'],
    [{ type: 'integer', format: 'date' }, undefined],
    [{ type: 'number', format: 'double' }, 'double'],
    [{ type: 'object', format: 'date' }, undefined],
    [{ type: 'string', format: 'made-up' }, undefined],
    [{ type: 'string' }, undefined],
  ] as const)('of %j is %s', (schema, expected) => {
    expect(checkedFormat(schema)).toBe(expected)
  })
})
