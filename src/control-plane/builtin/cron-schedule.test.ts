import { expect, test } from 'vitest'
import { isCronSchedule } from './cron-schedule.ts'

test.each([
  '* * * * *',
  '*/5 0-6 1,15 JAN-mar Mon',
  '0 0 ? * 0',
  '@daily',
  '@every 1h30m',
  '59 23 31 12 6',
  '5/15 * * * *',
])('%s is a schedule', (schedule) => {
  expect(isCronSchedule(schedule)).toBe(true)
})

test.each([
  '',
  '* * * *',
  '* * * * * *',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * * 13 *',
  '* * * * 7',
  '*/0 * * * *',
  '5-1 * * * *',
  '1- * * * *',
  '@sometimes',
  '@every',
  'a b c d e',
])('%s is none', (schedule) => {
  expect(isCronSchedule(schedule)).toBe(false)
})
