// The plugins of the example app.
// SPDX-License-Identifier: Apache-2.0
plugins {
  id("com.android.application") version "8.5.2" apply false
  id("org.jetbrains.kotlin.android") version "1.9.25" apply false
}
