// The plugins of the example app.
// SPDX-License-Identifier: Apache-2.0
plugins {
  id("com.android.application") version "8.13.0" apply false
  id("org.jetbrains.kotlin.android") version "2.4.21" apply false
}
